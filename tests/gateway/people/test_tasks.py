"""Tasks over HTTP: an owner reads what awaits an allowance, and allows or refuses it (R2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from services.gateway.people.inbox import PAGE
from tests.site import Site

SERVICES = ("rooms", "tasks")
Calling = Callable[..., httpx.AsyncClient]
WAITING = "/tasks/waiting"


@pytest.fixture(scope="module", autouse=True)
async def garden(town: Site) -> None:
    """A project with maya/codex, which takes tasks from its owner only, and jonas/claude."""
    url = town.gateway.url.removesuffix("/mcp") + "/api/v1"
    operator = {"authorization": f"Bearer {town.tokens['operator']}"}
    async with httpx.AsyncClient(base_url=url, headers=operator) as http:
        await http.post("/agents", json={"agent_id": "jonas/claude", "display_name": "Claude"})
        town.tokens["jonas/claude"] = (await http.post("/agents/jonas/claude/keys", json={"kind": "client"})).json()[
            "token"
        ]
        await http.post("/projects", json={"slug": "garden", "owner": "maya", "name": "Garden"})
        for address in ("maya/codex", "jonas", "jonas/claude"):
            await http.put(f"/projects/garden/members/{address}")


async def handed_off(town: Site, title: str) -> str:
    """A task that awaits maya's word."""
    wanted = {"project": "garden", "to": "maya/codex", "title": title, "objective": "Water it.", "acceptance": ["Wet"]}
    task = (await town.call("jonas/claude", "handoff", **wanted))["task"]
    assert task["state"] == "awaiting_owner"
    return str(task["task_id"])


def ids(page: dict[str, Any]) -> list[str]:
    return [task["task_id"] for task in page["tasks"]]


async def test_an_owner_lists_what_awaits_their_word_and_reads_each_whole(town: Site, calling: Calling) -> None:
    maya = calling("maya")
    tasks = [await handed_off(town, f"Bed {number}") for number in range(3)]
    assert ids((await maya.get(WAITING)).json()) == tasks[::-1]
    (whole,) = (await maya.get(f"/tasks?task_id={tasks[0]}")).json()["tasks"]
    assert whole["packet"]["objective"] == "Water it."
    for other in ("jonas", "rosa"):
        assert (await calling(other).get(WAITING)).json() == {"tasks": []}


async def test_more_than_a_page_of_waiting_tasks_is_listed_at_once(town: Site, calling: Calling) -> None:
    tasks = [await handed_off(town, f"Row {number}") for number in range(PAGE + 1)]
    assert set(tasks) <= set(ids((await calling("maya").get(WAITING)).json()))


async def test_tasks_are_paged(town: Site, calling: Calling) -> None:
    tasks = [await handed_off(town, f"Pot {number}") for number in range(3)]
    asked = "/tasks?role=owner&states=awaiting_owner&states=requested&limit=2"
    first = (await calling("maya").get(asked)).json()
    rest = (await calling("maya").get(f"{asked}&cursor={first['next_cursor']}")).json()
    assert (ids(first) + ids(rest))[:3] == tasks[::-1]


async def test_an_allowed_task_is_requested_and_a_refused_one_declined_with_the_reason(
    town: Site, calling: Calling
) -> None:
    maya = calling("maya")
    allowed, refused = await handed_off(town, "Allowed"), await handed_off(town, "Refused")
    answer = await maya.post(f"/tasks/{allowed}/allow")
    assert (answer.status_code, answer.json()["task"]["state"]) == (200, "requested")
    answer = await maya.post(f"/tasks/{refused}/refuse", json={"reason": "Not in winter"})
    assert answer.status_code == 200
    assert (answer.json()["task"]["state"], answer.json()["task"]["note"]) == ("declined", "Not in winter")
    assert not {allowed, refused} & set(ids((await maya.get(WAITING)).json()))


async def test_nobody_but_the_owner_decides(town: Site, calling: Calling) -> None:
    task_id = await handed_off(town, "Mine")
    for who, status in (("jonas", 403), ("rosa", 404), ("maya/codex", 403)):
        for decision in ("allow", "refuse"):
            assert (await calling(who).post(f"/tasks/{task_id}/{decision}")).status_code == status
    assert task_id in ids((await calling("maya").get(WAITING)).json())


@pytest.mark.parametrize("query", ["states=lost", "limit=0", "limit=many", "role=boss"])
async def test_a_wrong_query_is_refused_by_field(calling: Calling, query: str) -> None:
    refused = await calling("maya").get(f"/tasks?{query}")
    assert (refused.status_code, refused.json()["error"]["field"].partition("[")[0]) == (400, query.partition("=")[0])
