"""`prickle runs` against a real site: for people, for scripts and for spreadsheets."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from prickle.cli import build
from prickle.commands.runs import count, duration
from typer.testing import CliRunner, Result

from libs.contracts.caller import OPERATOR
from libs.contracts.directory import CreatePerson, CreateTeam
from tests.runs.given import fresh_owner, report
from tests.site import Site

SERVICES = ("rooms", "runs")
Prickle = Callable[..., Awaitable[Result]]
KNOWN = {"input_tokens": 1234567, "output_tokens": 340, "turns": 7, "duration_ms": 91000, "exit_code": 0}


@pytest.fixture(scope="module")
async def owner(site: Site) -> str:
    """A person with two runs of its agent, the older one in 2026 with numbers, the newer one late and without."""
    handle, ask = fresh_owner(), site.gateway.app.gateway.ask
    await ask(CreateTeam(slug="ants"), OPERATOR)
    await ask(CreatePerson(handle=handle, team="ants", display_name=handle), OPERATOR)
    site.tokens[handle] = await site.issue(handle, "person")
    await report(site.hub, handle, task_id="task_old", **KNOWN)
    site.hub.clock.advance(seconds=86400)
    await report(site.hub, handle, task_id="task_new", agent_id=f"{handle}/claude", late=True, turns=0)
    return handle


@pytest.fixture
def prickle(site: Site, owner: str) -> Prickle:
    """Run `prickle runs …` as the owner, or with another token."""

    async def run(*arguments: str, token: str = site.tokens[owner]) -> Result:
        environment = {"PRICKLE_URL": site.gateway.url, "PRICKLE_TOKEN": token, "COLUMNS": "200"}
        return await asyncio.to_thread(CliRunner().invoke, build(), ["runs", *arguments], env=environment)

    return run


async def said(running: Awaitable[Result]) -> Any:
    """What a command printed as JSON."""
    result = await running
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def cells(line: str) -> list[str]:
    """The cells of a line of a table, whose values hold single spaces at most."""
    return [cell for cell in line.split("  ") if cell]


async def test_the_table_is_for_people_and_shows_the_unknown_as_a_dash(prickle: Prickle, owner: str) -> None:
    result = await prickle("list")
    assert (result.exit_code, result.stderr) == (0, "")
    titles, new, old = [[cell.strip() for cell in cells(line)] for line in result.stdout.splitlines()]
    assert titles[0] == "reported (UTC)"
    assert new[1:] == [f"{owner}/claude", "website-v2", "task_new", "–", "–", "0", "–", "–", "late"]
    assert old[1:] == [f"{owner}/codex", "website-v2", "task_old", "1,234,567", "340", "7", "1m 31s", "0"]


async def test_json_keeps_null_and_numbers(prickle: Prickle) -> None:
    new, old = await said(prickle("list", "--json"))
    assert {name: old[name] for name in KNOWN} == KNOWN
    assert {name: new[name] for name in KNOWN} == dict.fromkeys(KNOWN) | {"turns": 0}
    assert (new["late"], old["late"]) == (True, False)


async def test_csv_leaves_the_unknown_empty(prickle: Prickle) -> None:
    new, old = csv.DictReader(io.StringIO((await prickle("list", "--csv")).stdout))
    assert {name: old[name] for name in KNOWN} == {name: str(value) for name, value in KNOWN.items()}
    assert {name: new[name] for name in KNOWN} == dict.fromkeys(KNOWN, "") | {"turns": "0"}
    assert (new["late"], old["late"]) == ("true", "false")


async def test_filters_narrow_the_list(prickle: Prickle, owner: str) -> None:
    new, old = await said(prickle("list", "--json"))
    today = new["reported_at"][:10]
    for arguments, expected in (
        (["--agent", f"{owner}/claude"], [new]),
        (["--task", "task_old"], [old]),
        (["--since", today], [new]),
        (["--until", today], [old]),
        (["--since", new["reported_at"]], [new]),
        (["--project", "another-one"], []),
    ):
        assert await said(prickle("list", "--json", *arguments)) == expected


async def test_a_limit_says_that_there_are_more(prickle: Prickle) -> None:
    result = await prickle("list", "--limit", "1", "--json")
    assert len(json.loads(result.stdout)) == 1
    assert "There are more" in result.stderr


async def test_totals_add_up_what_is_known(prickle: Prickle, owner: str) -> None:
    (total,) = await said(prickle("totals", "--by", "agent", "--agent", f"{owner}/codex", "--json"))
    assert (total["group"], total["runs"], total["input_tokens"]) == (f"{owner}/codex", 1, 1234567)
    days = (await prickle("totals")).stdout.splitlines()
    assert [len(cells(day)[0].strip()) for day in days[1:]] == [len("2026-11-30")] * 2
    for by, groups in (("outcome", ["ok", "unknown"]), ("task", ["task_new", "task_old"])):
        rows = csv.DictReader(io.StringIO((await prickle("totals", "--by", by, "--csv")).stdout))
        assert [row["group"] for row in rows] == groups


async def test_the_operator_and_agents_read_nothing(prickle: Prickle, site: Site) -> None:
    """R39."""
    for token in (await site.issue("operator", "operator"), "prk_client_unknown"):
        for command in ("list", "totals"):
            refused = await prickle(command, token=token)
            assert (refused.exit_code, refused.stdout, len(refused.stderr.splitlines())) == (1, "", 1)


async def test_wrong_usage_is_exit_code_2(prickle: Prickle) -> None:
    for arguments in (["totals", "--by", "moon"], ["list", "--limit", "0"], ["list", "--json", "--csv"]):
        assert (await prickle(*arguments)).exit_code == 2


def test_numbers_are_written_for_people() -> None:
    assert [count(number) for number in (0, 999, 1000, 2147483647)] == ["0", "999", "1,000", "2,147,483,647"]
    times = {0: "0.0s", 1499: "1.5s", 59_999: "1m 00s", 91_000: "1m 31s", 3_599_999: "1h 00m", 90_000_000: "25h 00m"}
    assert {milliseconds: duration(milliseconds) for milliseconds in times} == times
