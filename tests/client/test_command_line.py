"""The command line against a real site: what it does, what it prints, how it refuses."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from prickle.cli import build
from typer.testing import CliRunner, Result

from tests.site import Site

SERVICES = ("rooms",)
Prickle = Callable[..., Awaitable[Result]]


@pytest.fixture(scope="module")
async def operator(site: Site) -> str:
    """The operator's token."""
    return await site.issue("operator", "operator")


@pytest.fixture
def prickle(site: Site, operator: str) -> Prickle:
    """Run a command as the operator, or with another token."""

    async def run(*arguments: str, token: str = operator) -> Result:
        environment = {"PRICKLE_URL": site.gateway.url, "PRICKLE_TOKEN": token, "COLUMNS": "200"}
        return await asyncio.to_thread(CliRunner().invoke, build(), list(arguments), env=environment)

    return run


async def said(running: Awaitable[Result]) -> Any:
    """What a command printed as JSON."""
    result = await running
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


async def test_the_operator_sets_up_a_team_and_an_agent_posts_the_first_message(prickle: Prickle) -> None:
    for line in (
        "admin team add ants",
        "admin person add maya --team ants --name Maya",
        "admin agent add maya/codex --capability css --takes-tasks-from team",
        "admin project add garden --owner maya --name Garden",
        "admin member add garden maya/codex",
    ):
        result = await prickle(*line.split())
        assert result.exit_code == 0, result.output
    assert "maya/codex" in (await prickle("admin", "agent", "list")).stdout
    assert "garden" in (await prickle("admin", "project", "list")).stdout
    maya = (await said(prickle("admin", "person", "token", "maya", "--json")))["token"]
    entry = await said(prickle("memory", "set", "garden", "soil/kind", "Clay.", "--json", token=maya))
    assert (entry["key"], entry["updated_by"]) == ("soil/kind", "maya")
    codex = (await said(prickle("keys", "issue", "maya/codex", "--json", token=maya)))["token"]
    posted = await said(prickle("call", "post_message", "project=garden", "body=20 bees", "mentions=[]", token=codex))
    assert posted["message"]["body"] == "20 bees"


async def test_a_token_is_printed_once_with_a_note_and_never_listed(prickle: Prickle, operator: str) -> None:
    await prickle("admin", "team", "add", "bees")
    await prickle("admin", "person", "add", "rosa", "--team", "bees")
    issued = await prickle("keys", "issue", "rosa", "--expires-at", "2126-01-01T00:00:00Z")
    token, note = issued.stdout.splitlines()
    assert token.startswith("prk_person_")
    assert note.startswith("Keep this token now, it is not shown again.")
    (key,) = await said(prickle("keys", "list", "rosa", "--json"))
    listed = await prickle("keys", "list", "rosa")
    assert key["key_id"] in listed.stdout
    assert "prk_" not in listed.stdout
    assert (await prickle("keys", "revoke", key["key_id"])).exit_code == 0
    ended = await prickle("admin", "person", "list", token=token)
    assert (ended.exit_code, ended.stdout) == (1, "")
    assert "prk_" not in ended.stderr


async def test_a_refusal_is_one_sentence_on_standard_error_and_exit_code_1(prickle: Prickle) -> None:
    for arguments in (["admin", "team", "add", "operator"], ["keys", "list", "nobody"], ["call", "read_room"]):
        refused = await prickle(*arguments)
        assert (refused.exit_code, refused.stdout) == (1, "")
        assert len(refused.stderr.splitlines()) == 1


async def test_a_hub_that_is_not_there_and_a_url_that_is_none_are_refusals(prickle: Prickle) -> None:
    for url in ("http://127.0.0.1:1", "127.0.0.1:8400"):
        refused = await prickle("admin", "team", "list", "--url", url)
        assert (refused.exit_code, len(refused.stderr.splitlines())) == (1, 1)


async def test_wrong_usage_is_exit_code_2(prickle: Prickle) -> None:
    for arguments in (["admin", "team", "add"], ["call", "read_room", "project"], ["keys", "issue", "a", "--no-such"]):
        assert (await prickle(*arguments)).exit_code == 2
    assert (await prickle("admin", "team", "list", token="")).exit_code != 0


async def test_help_and_errors_never_show_the_token(prickle: Prickle) -> None:
    token = "prk_operator_do-not-show-me"
    for arguments in (
        ["admin", "team", "list", "--help"],
        ["admin", "team", "list", "--no-such"],
        ["admin", "team", "list"],
        ["admin", "team", "list", "--token", token],
        ["admin", "team", "list", "--token", f"{token}\n"],
    ):
        assert "do-not-show-me" not in (await prickle(*arguments, token=token)).output


async def test_every_command_has_help(prickle: Prickle) -> None:
    listed = (await prickle("--help")).stdout
    for noun in ("admin", "keys", "memory", "call", "inbox", "approve", "review", "say", "tail", "pulse"):
        assert noun in listed
