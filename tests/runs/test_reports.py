"""A run is reported once and its report stands (R38, R39)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from libs.contracts.caller import Caller
from libs.contracts.errors import Conflict, Forbidden, InvalidInput, NotFound, Problem
from libs.contracts.runs import FindReports, ReportedRun, ReportRun
from tests.harness import Hub, caller
from tests.runs.given import DEVICE, UNKNOWN, fresh_owner, report, run_of, runs

SERVICES = ("runs",)
NUMBERS = {"input_tokens": 1200, "output_tokens": 340, "turns": 7, "duration_ms": 91000, "exit_code": 0}


async def test_a_report_comes_back_as_it_was_kept(hub: Hub) -> None:
    command = run_of(fresh_owner(), **NUMBERS)
    kept = await hub.ask(command, DEVICE)
    assert kept.run.model_dump(include=NUMBERS.keys()) == NUMBERS
    assert (kept.run.run_id, kept.run.task_id, kept.run.project) == (
        command.run_id,
        command.task_id,
        command.project,
    )
    assert (kept.run.source, kept.run.reported_at) == ("client_reported", hub.clock.now)


async def test_unknown_numbers_stay_null(hub: Hub) -> None:
    """R38: never invented, never 0."""
    owner = fresh_owner()
    kept = await report(hub, owner, turns=0)
    (record,) = await runs(hub, owner)
    assert kept.run.model_dump(include=UNKNOWN.keys()) == UNKNOWN | {"turns": 0}
    assert record.model_dump(include=UNKNOWN.keys()) == UNKNOWN | {"turns": 0}


async def test_the_same_report_again_is_the_same_record_with_its_first_time(hub: Hub) -> None:
    """R38: whatever the case of the run's id, and whichever attempt the gateway finds by now."""
    owner = fresh_owner()
    command = run_of(owner, **NUMBERS)
    first = await hub.ask(command, DEVICE)
    hub.clock.advance(seconds=3600)
    assert command.facts is not None
    again = ReportRun(
        **command.model_dump(exclude={"run_id", "facts"}),
        run_id=command.run_id.upper(),
        facts=command.facts.model_copy(update={"attempt_id": "att_newer", "late": True}),
    )
    assert await hub.ask(again, DEVICE) == first
    assert len(await runs(hub, owner)) == 1


@pytest.mark.parametrize(
    "change",
    [{"input_tokens": 1201}, {"turns": None}, {"exit_code": 1}, {"task_id": "task_other"}, {"project": "another-one"}],
)
async def test_another_body_for_the_run_is_refused_and_the_first_stands(hub: Hub, change: dict[str, Any]) -> None:
    """R38."""
    owner = fresh_owner()
    command = run_of(owner, **NUMBERS)
    await hub.ask(command, DEVICE)
    before = await runs(hub, owner)
    with pytest.raises(Conflict):
        await hub.ask(command.model_copy(update=change), DEVICE)
    assert await runs(hub, owner) == before


async def test_two_agents_may_use_one_run_id(hub: Hub) -> None:
    """R38: it is unique per agent."""
    owner = fresh_owner()
    first = run_of(owner)
    await hub.ask(first, DEVICE)
    await hub.ask(run_of(owner, run_id=first.run_id, agent_id=f"{owner}/claude", **NUMBERS), DEVICE)
    assert {record.agent_id for record in await runs(hub, owner)} == {f"{owner}/codex", f"{owner}/claude"}


async def test_an_attempt_has_one_report(hub: Hub) -> None:
    """R39: two runs at once cannot both take the one attempt that lacks a report."""
    owner = fresh_owner()
    commands = [run_of(owner, attempt_id="att_one", task_id="task_one") for _ in range(8)]
    assert await outcomes(hub, commands) == ["kept"] + ["not_found"] * 7
    assert len(await runs(hub, owner)) == 1


async def test_of_many_bodies_at_once_one_stands(hub: Hub) -> None:
    """R38 under concurrency."""
    owner = fresh_owner()
    command = run_of(owner)
    bodies = [command.model_copy(update={"turns": turns}) for turns in range(8)]
    assert await outcomes(hub, bodies) == ["conflict"] * 7 + ["kept"]
    assert len(await runs(hub, owner)) == 1


async def test_the_same_report_many_times_at_once_is_one_record(hub: Hub) -> None:
    """R38 under concurrency: everybody reads the same."""
    owner = fresh_owner()
    command = run_of(owner, **NUMBERS)
    said = await asyncio.gather(*(hub.ask(command, DEVICE) for _ in range(8)))
    assert all(one == said[0] for one in said)
    assert len(await runs(hub, owner)) == 1


async def outcomes(hub: Hub, commands: list[ReportRun]) -> list[str]:
    """What became of reports made at once, sorted."""
    asked = (hub.ask(command, DEVICE) for command in commands)
    said: list[ReportedRun | BaseException] = await asyncio.gather(*asked, return_exceptions=True)
    return sorted(one.data.code if isinstance(one, Problem) else "kept" for one in said)


async def test_who_reports_a_run_learns_which_attempts_others_took(hub: Hub) -> None:
    owner = fresh_owner()
    mine = await report(hub, owner, task_id="task_shared")
    other = await report(hub, owner, task_id="task_shared")
    await report(hub, owner, task_id="task_elsewhere")
    query = FindReports(task_id="task_shared", run_id=mine.run.run_id.upper())
    assert (await hub.ask(query, DEVICE)).attempts == [other.attempt_id]


@pytest.mark.parametrize("kind", ["project", "oauth", "run"])
async def test_other_credentials_of_an_agent_report_nothing(hub: Hub, kind: Any) -> None:
    owner = fresh_owner()
    by = Caller(kind=kind, subject=f"{owner}/codex")
    with pytest.raises(Forbidden):
        await hub.ask(run_of(owner), by)
    with pytest.raises(Forbidden):
        await hub.ask(FindReports(task_id="task_1", run_id="1"), by)
    assert await runs(hub, owner) == []


@pytest.mark.parametrize("by", [caller("maya/codex"), Caller(kind="tasks", subject="dev_1", owner="maya")])
async def test_a_client_key_and_a_tasks_key_report(hub: Hub, by: Caller) -> None:
    assert (await hub.ask(run_of(fresh_owner()), by)).late is False


async def test_a_report_without_the_attempt_that_tasks_found_is_refused(hub: Hub) -> None:
    with pytest.raises(InvalidInput):
        await hub.ask(run_of(fresh_owner()).model_copy(update={"facts": None}), DEVICE)


async def test_a_refused_report_leaves_its_attempt_to_another_run(hub: Hub) -> None:
    owner = fresh_owner()
    first = await report(hub, owner)
    with pytest.raises(Conflict):
        await report(hub, owner, run_id=first.run.run_id, attempt_id="att_free", turns=3)
    assert (await report(hub, owner, attempt_id="att_free")).attempt_id == "att_free"
    with pytest.raises(NotFound):
        await report(hub, owner, attempt_id="att_free")
