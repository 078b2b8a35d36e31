"""Run records over HTTP: for the agents' owner alone (R39)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from libs.contracts.runs import ReportedRun
from tests.runs.given import UNKNOWN, report
from tests.site import Site

SERVICES = ("rooms", "runs")
Calling = Callable[..., httpx.AsyncClient]


@pytest.fixture(scope="module")
async def reported(town: Site) -> list[ReportedRun]:
    """Three runs of maya/codex, the newest first."""
    made = []
    for turns in (None, 5, 8):
        made.insert(0, await report(town.hub, "maya", turns=turns))
        town.hub.clock.advance(seconds=60)
    return made


async def test_an_owner_reads_each_record_whole(calling: Calling, reported: list[ReportedRun]) -> None:
    answer = await calling("maya").get("/runs")
    assert (answer.status_code, answer.json()["next"]) == (200, None)
    records = answer.json()["runs"]
    expected = [kept.run.wire() | {"attempt_id": kept.attempt_id, "agent_id": "maya/codex"} for kept in reported]
    assert records == [one | {"late": False} for one in expected]
    assert {name: records[2][name] for name in UNKNOWN} == UNKNOWN


async def test_pages_and_filters_are_in_the_query(calling: Calling, reported: list[ReportedRun]) -> None:
    maya = calling("maya")
    first = (await maya.get("/runs", params={"limit": 2})).json()
    rest = (await maya.get("/runs", params={"limit": 2, "after": first["next"]})).json()
    assert [run["turns"] for run in first["runs"] + rest["runs"]] == [8, 5, None]
    assert rest["next"] is None
    since = reported[1].run.wire()["reported_at"]
    for params, turns in (
        ({"since": since}, [8, 5]),
        ({"until": since}, [None]),
        ({"task_id": reported[0].run.task_id}, [8]),
        ({"agent_id": "maya/codex", "project": "website-v2", "limit": "1"}, [8]),
        ({"project": "another-one"}, []),
    ):
        assert [run["turns"] for run in (await maya.get("/runs", params=params)).json()["runs"]] == turns


async def test_totals_are_grouped_as_asked(calling: Calling, reported: list[ReportedRun]) -> None:
    answer = (await calling("maya").get("/runs/totals", params={"by": "agent"})).json()
    (total,) = answer["totals"]
    assert (total["group"], total["runs"], total["turns"], total["duration_ms"]) == ("maya/codex", 3, 13, None)
    assert (total["unknown"], total["late"], answer["more"]) == (3, 0, False)
    by_task = (await calling("maya").get("/runs/totals", params={"by": "task", "limit": 2})).json()
    assert ([one["turns"] for one in by_task["totals"]], by_task["more"]) == ([8, 5], True)


@pytest.mark.parametrize("path", ["/runs", "/runs/totals?by=day"])
async def test_nobody_else_reads_them(calling: Calling, reported: list[ReportedRun], path: str) -> None:
    """R39: not the operator, not the agent, not another person."""
    for subject in ("operator", "maya/codex"):
        assert (await calling(subject).get(path)).status_code == 403
    for subject in ("jonas", "rosa"):
        answer = await calling(subject).get(path)
        assert answer.status_code == 200
        assert [] in answer.json().values()
    assert (await calling("jonas").get(path, params={"by": "day", "agent_id": "maya/codex"})).status_code == 404


@pytest.mark.parametrize(
    ("path", "params", "field"),
    [
        ("/runs", {"limit": 0}, "limit"),
        ("/runs", {"limit": 1001}, "limit"),
        ("/runs", {"limit": "many"}, "limit"),
        ("/runs", {"since": "yesterday"}, "since"),
        ("/runs", {"since": "2026-11-30T12:00:00"}, "since"),
        ("/runs", {"agent_id": "maya"}, "agent_id"),
        ("/runs", {"after": "run_made_up"}, "after"),
        ("/runs/totals", {}, "by"),
        ("/runs/totals", {"by": "moon"}, "by"),
    ],
)
async def test_a_wrong_question_names_its_field(
    calling: Calling, path: str, params: dict[str, Any], field: str
) -> None:
    refused = await calling("maya").get(path, params=params)
    assert (refused.status_code, refused.json()["error"]["field"]) == (400, field)
