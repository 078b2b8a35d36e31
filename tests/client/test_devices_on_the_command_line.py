"""Devices, their keys and tasks that await an owner, from the command line."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from prickle.cli import build
from typer.testing import CliRunner, Result

from libs.contracts.caller import OPERATOR
from libs.contracts.directory import UpdateAgent
from tests.site import Site

SERVICES = ("rooms", "tasks")
Prickle = Callable[..., Awaitable[Result]]


@pytest.fixture(scope="module")
async def crew(site: Site) -> Site:
    """Maya's codex, which takes tasks from its owner only, and jonas's claude in one project."""
    await site.introduce("garden", "maya/codex", "jonas/claude")
    await site.gateway.app.gateway.ask(UpdateAgent(agent_id="maya/codex", takes_tasks_from="owner"), OPERATOR)
    site.tokens["operator"] = await site.issue("operator", "operator")
    return site


@pytest.fixture
def prickle(crew: Site) -> Prickle:
    """Run a command as whoever is named."""

    async def run(who: str, *arguments: str) -> Result:
        environment = {"PRICKLE_URL": crew.gateway.url, "PRICKLE_TOKEN": crew.tokens[who], "COLUMNS": "200"}
        return await asyncio.to_thread(CliRunner().invoke, build(), list(arguments), env=environment)

    return run


async def said(running: Awaitable[Result]) -> Any:
    """What a command printed as JSON."""
    result = await running
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


async def test_a_person_registers_changes_and_removes_a_device(prickle: Prickle) -> None:
    links = ("--agent", "maya/codex", "--project", "garden")
    device = await said(prickle("maya", "device", "add", "laptop", "--slots", "2", *links, "--json"))
    assert (device["name"], device["slots"], device["agents"]) == ("laptop", 2, ["maya/codex"])
    device_id = device["device_id"]
    assert device_id in (await prickle("maya", "device", "list")).stdout
    changed = await said(prickle("maya", "device", "update", device_id, "--name", "desk", "--no-projects", "--json"))
    assert (changed["name"], changed["agents"], changed["projects"]) == ("desk", ["maya/codex"], [])
    assert (await prickle("maya", "device", "remove", device_id)).exit_code == 0
    assert device_id not in (await prickle("maya", "device", "list")).stdout


async def test_keys_of_every_kind_are_issued_by_their_subject(prickle: Prickle) -> None:
    device_id = (await said(prickle("maya", "device", "add", "laptop", "--json")))["device_id"]
    for who, kind, arguments in (
        ("maya", "client", ["maya/codex"]),
        ("maya", "project", ["maya/codex", "--kind", "project", "--project", "garden"]),
        ("operator", "oauth", ["maya/codex", "--kind", "oauth"]),
        ("maya", "device", [device_id]),
        ("maya", "tasks", [device_id, "--kind", "tasks"]),
        ("maya", "person", ["maya", "--kind", "person"]),
    ):
        issued = await said(prickle(who, "keys", "issue", *arguments, "--json"))
        assert issued["kind"] == kind
        assert issued["token"].startswith(f"prk_{kind}_")
        listed = await prickle("maya", "keys", "list", arguments[0])
        assert issued["key_id"] in listed.stdout
        assert "prk_" not in listed.stdout
    for wrong in (["maya", "--kind", "tasks"], [device_id, "--project", "garden"], ["maya/codex", "--kind", "any"]):
        assert (await prickle("maya", "keys", "issue", *wrong)).exit_code == 2
    for refused in (
        ["maya/codex", "--kind", "oauth"],
        ["maya/codex", "--kind", "project"],
        [device_id, "--kind", "client"],
    ):
        assert (await prickle("maya", "keys", "issue", *refused)).exit_code == 1


async def handed_off(crew: Site, title: str) -> str:
    """A task by jonas's agent for maya's, whose owner must allow it."""
    wanted = {"project": "garden", "to": "maya/codex", "title": title, "objective": "Water it.", "acceptance": ["Wet"]}
    return str((await crew.call("jonas/claude", "handoff", **wanted))["task"]["task_id"])


async def test_an_owner_sees_allows_and_refuses_what_awaits_their_word(crew: Site, prickle: Prickle) -> None:
    """R2: the owner sees the whole packet first."""
    allowed, refused = await handed_off(crew, "Allowed"), await handed_off(crew, "Refused")
    waiting = await said(prickle("maya", "tasks", "waiting", "--json"))
    assert [task["task_id"] for task in waiting] == [refused, allowed]
    assert "Water it." in (await prickle("maya", "tasks", "show", allowed)).stdout
    assert (await said(prickle("maya", "tasks", "allow", allowed, "--json")))["state"] == "requested"
    declined = await said(prickle("maya", "tasks", "refuse", refused, "--reason", "Not now", "--json"))
    assert declined["state"] == "declined"
    assert await said(prickle("maya", "tasks", "waiting", "--json")) == []
    assert (await prickle("jonas", "tasks", "waiting", "--json")).stdout.strip() == "[]"
