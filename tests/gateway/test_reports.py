"""What runners say of runs through the tools: reports (R38, R39), and failures in the pulse (R31)."""

from __future__ import annotations

import asyncio
from itertools import count
from typing import Any
from uuid import uuid4

import pytest

from libs.contracts.caller import Caller
from libs.contracts.runs import ListRuns, RunRecord
from tests.harness import until
from tests.site import Refused, Site

PROJECT, MAYA, JONAS = "website-v2", "maya/codex", "jonas/claude"
TASK: dict[str, Any] = {"title": "Do it", "objective": "Do it well.", "acceptance": ["It is done"]}
NUMBERS = {"input_tokens": 1200, "output_tokens": 340, "turns": None, "duration_ms": 91000, "exit_code": 0}
OWNER = Caller(kind="person", subject="jonas")
LAPSE_SECONDS = 601
numbers = count(1)


@pytest.fixture
async def device(site: Site) -> str:
    """A device of its own, linked to jonas's agent and the project."""
    await site.introduce(PROJECT, MAYA, JONAS)
    name = f"laptop-{next(numbers)}"
    await site.device(name, [JONAS], [PROJECT], 2)
    return name


async def requested(site: Site) -> str:
    """A task of maya's agent for jonas's."""
    opened = await site.call(MAYA, "handoff", project=PROJECT, to=JONAS, **TASK)
    task_id: str = opened["task"]["task_id"]
    return task_id


async def run_of(site: Site, device: str, task_id: str) -> str:
    """Let a device run a task; the run's id."""
    run_id = str(uuid4())
    await site.call(device, "claim_task", task_id=task_id, idempotency_key=run_id)
    return run_id


async def report(site: Site, by: str, task_id: str, run_id: str, /, **changes: Any) -> dict[str, Any]:
    said = {"project": PROJECT, "task_id": task_id, "run_id": run_id, **NUMBERS}
    return await site.call(by, "report_run", **said | changes)


async def records(site: Site, task_id: str) -> list[RunRecord]:
    """What jonas reads of the runs of a task."""
    return (await site.gateway.app.gateway.ask(ListRuns(task_id=task_id), OWNER)).runs


async def state_of(site: Site, task_id: str) -> str:
    inbox = await site.call(MAYA, "check_inbox", task_id=task_id)
    state: str = inbox["tasks"][0]["state"]
    return state


@pytest.mark.parametrize("key", ["", ":tasks"], ids=["device key", "tasks key"])
async def test_a_report_ends_a_live_attempt_and_comes_back_as_it_is_kept(site: Site, device: str, key: str) -> None:
    """R39: the run is over, so its task is open again."""
    task_id = await requested(site)
    run_id = await run_of(site, device, task_id)
    answer = await report(site, device + key, task_id, run_id)
    expected = {"run_id": run_id, "project": PROJECT, "task_id": task_id, **NUMBERS, "source": "client_reported"}
    assert {name: answer["run"][name] for name in expected} == expected
    assert "late" not in answer["_meta"]
    assert await state_of(site, task_id) == "requested"
    (record,) = await records(site, task_id)
    assert (record.run_id, record.agent_id, record.late) == (run_id, JONAS, False)


async def test_the_same_report_again_is_the_same_record_and_ends_no_later_attempt(site: Site, device: str) -> None:
    """R38: also in upper case, and after the task was claimed again."""
    task_id = await requested(site)
    run_id = await run_of(site, device, task_id)
    first = await report(site, device, task_id, run_id)
    assert "late" not in first["_meta"]
    await run_of(site, device, task_id)
    site.hub.clock.advance(seconds=5)
    assert await report(site, device, task_id, run_id.upper()) == first
    assert await state_of(site, task_id) == "working"
    assert len(await records(site, task_id)) == 1


async def test_another_body_is_a_conflict_and_the_first_stands(site: Site, device: str) -> None:
    """R38, with many at once."""
    task_id = await requested(site)
    run_id = await run_of(site, device, task_id)
    bodies = (report(site, device, task_id, run_id, turns=turns) for turns in range(6))
    said = await asyncio.gather(*bodies, return_exceptions=True)
    refused = [one for one in said if isinstance(one, Refused)]
    assert [one.code for one in refused] == ["conflict"] * 5
    (kept,) = (one for one in said if isinstance(one, dict))
    assert [record.turns for record in await records(site, task_id)] == [kept["run"]["turns"]]


async def test_a_report_after_the_lapse_is_kept_and_marked_late_beside_the_run(site: Site, device: str) -> None:
    """R39."""
    task_id = await requested(site)
    run_id = await run_of(site, device, task_id)
    site.hub.clock.advance(seconds=LAPSE_SECONDS)
    await site.hub.tick("tasks")
    answer = await report(site, device, task_id, run_id)
    assert answer["_meta"]["late"] is True
    assert "late" not in answer["run"]
    assert [record.late for record in await records(site, task_id)] == [True]


async def test_an_agent_reports_its_own_attempt_once(site: Site, device: str) -> None:
    """R39: the newest that has no report; none: not found."""
    task_id = await requested(site)
    with pytest.raises(Refused, match="not_found"):
        await report(site, JONAS, task_id, str(uuid4()))
    await site.call(JONAS, "accept_task", task_id=task_id)
    await report(site, JONAS, task_id, str(uuid4()))
    with pytest.raises(Refused, match="not_found"):
        await report(site, JONAS, task_id, str(uuid4()))
    assert len(await records(site, task_id)) == 1


async def test_nobody_reports_the_runs_of_others(site: Site, device: str) -> None:
    """R38: only for an agent linked to the device, or for oneself; a discussion's id is no task's."""
    task_id = await requested(site)
    run_id = await run_of(site, device, task_id)
    await site.introduce(PROJECT, "jonas/helper")
    await site.device("stranger", ["jonas/helper"], [PROJECT])
    for by in (MAYA, "stranger"):
        with pytest.raises(Refused, match="not_found"):
            await report(site, by, task_id, run_id)
    with pytest.raises(Refused, match="not_found"):
        await report(site, device, "dis_1", run_id)
    assert await state_of(site, task_id) == "working"
    assert await records(site, task_id) == []


@pytest.mark.parametrize("kind", ["oauth", "project"])
async def test_an_oauth_token_and_a_project_key_report_nothing(site: Site, device: str, kind: str) -> None:
    limits = {"project": PROJECT} if kind == "project" else {}
    token = await site.issue(JONAS, kind, **limits)
    with pytest.raises(Refused) as refused:
        await report(site, token, await requested(site), str(uuid4()))
    assert refused.value.code == "forbidden"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"run_id": "4f7c2a9e"}, "run_id"),
        ({"run_id": "4f7c2a9e-3b1d-9c8e-9a6f-0d2e5b7c1a3f"}, "run_id"),
        ({"input_tokens": -1}, "input_tokens"),
        ({"turns": 2147483648}, "turns"),
        ({"turns": 1.5}, "turns"),
        ({"duration_ms": "91000"}, "duration_ms"),
        ({"exit_code": 256}, "exit_code"),
        ({"exit_code": -9}, "exit_code"),
        ({"project": "another-one"}, "project"),
        ({"output": "what the client printed"}, "output"),
    ],
)
async def test_what_is_no_report_is_refused_with_its_field(
    site: Site, device: str, change: dict[str, Any], field: str
) -> None:
    """The input is closed: nothing of what a client printed has a place in it."""
    task_id = await requested(site)
    with pytest.raises(Refused) as refused:
        await report(site, device, task_id, await run_of(site, device, task_id), **change)
    assert (refused.value.code, refused.value.field) == ("invalid_input", field)
    assert await records(site, task_id) == []


@pytest.mark.parametrize("missing", NUMBERS)
async def test_every_number_is_required(site: Site, device: str, missing: str) -> None:
    said = {"project": PROJECT, "task_id": "task_1", "run_id": str(uuid4()), **NUMBERS}
    del said[missing]
    with pytest.raises(Refused) as refused:
        await site.call(device, "report_run", **said)
    assert (refused.value.code, refused.value.field) == ("invalid_input", missing)


async def test_a_run_failure_shows_in_the_pulse_until_the_next_run_starts(site: Site, device: str) -> None:
    """R31."""
    failure = {"class": "provider", "step": "claude_code_service"}
    said = await site.call(device, "update_pulse", project=PROJECT, agent_id=JONAS, run_failure=failure)
    assert said["pulse"]["run_failure"] == failure == await failure_of(site)
    await run_of(site, device, await requested(site))
    await until(lambda: is_well(site))


async def failure_of(site: Site) -> dict[str, Any] | None:
    """What everybody sees of the last run of jonas's agent."""
    context = await site.call(MAYA, "get_project_context", project=PROJECT)
    (pulse,) = (one for one in context["pulse"] if one["agent_id"] == JONAS)
    failure: dict[str, Any] | None = pulse.get("run_failure")
    return failure


async def is_well(site: Site) -> bool:
    return await failure_of(site) is None


@pytest.mark.parametrize(
    ("agent", "project", "code", "field"),
    [
        (MAYA, PROJECT, "not_found", "agent_id"),
        (None, PROJECT, "not_found", "agent_id"),
        (JONAS, "workshop", "room_not_linked", "project"),
        ("jonas/writer", PROJECT, "not_found", "project"),
    ],
    ids=["agent not linked", "no agent", "project not linked", "agent no member"],
)
async def test_a_device_speaks_for_its_linked_agents_in_its_linked_projects(
    site: Site, agent: str | None, project: str, code: str, field: str
) -> None:
    await site.introduce(PROJECT, MAYA, JONAS)
    await site.introduce("workshop", JONAS, "jonas/writer")
    name = f"laptop-{next(numbers)}"
    await site.device(name, [JONAS, "jonas/writer"], [PROJECT])
    said = {"agent_id": agent} if agent else {}
    with pytest.raises(Refused) as refused:
        await site.call(name, "update_pulse", project=project, availability="online", **said)
    assert (refused.value.code, refused.value.field) == (code, field)
