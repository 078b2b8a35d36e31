"""Which attempt a report belongs to, and the end that it puts to it (R38, R39)."""

from __future__ import annotations

from uuid import uuid4

import pytest

from libs.contracts.errors import InvalidInput, NotFound
from libs.contracts.tasks import DescribeRun, EndRun, RunFacts
from tests.tasks.desk import Desk
from tests.tasks.runners import Runner

SERVICES = ("tasks",)


async def described(desk: Desk, task_id: str, by: Runner | str, run_id: str = "", **said: object) -> RunFacts:
    """What a report of the device, or of an agent for itself, belongs to."""
    device = by.facts if isinstance(by, Runner) else None
    plain = {"project": "website", "task_id": task_id, "run_id": run_id or str(uuid4()), "device": device}
    return await desk.hub.ask(
        DescribeRun.model_validate({**plain, **said}), by.caller if isinstance(by, Runner) else by
    )


async def claimed(desk: Desk, runner: Runner, task_id: str = "", key: str = "run-1") -> str:
    """An attempt that the device claimed under a key and that lapsed."""
    task = await desk.whole(task_id) if task_id else await desk.hand_off()
    attempt = await runner.claim(task, key=key)
    await desk.let_lapse()
    return attempt.attempt_id


async def test_a_report_belongs_to_the_attempt_that_was_claimed_with_its_run_id_in_whatever_case(desk: Desk) -> None:
    task, runner, run_id = await desk.hand_off(), Runner(desk), str(uuid4())
    first = await claimed(desk, runner, task.task_id, key=run_id.upper())
    await claimed(desk, runner, task.task_id, key=str(uuid4()))
    facts = await described(desk, task.task_id, runner, run_id)
    assert (facts.attempt_id, facts.agent_id, facts.owner) == (first, desk.claude, desk.jonas)


async def test_another_report_belongs_to_the_newest_attempt_that_has_none(desk: Desk) -> None:
    task, runner = await desk.hand_off(), Runner(desk)
    first = await claimed(desk, runner, task.task_id, key="run-1")
    second = await claimed(desk, runner, task.task_id, key="run-2")
    assert (await described(desk, task.task_id, runner)).attempt_id == second
    assert (await described(desk, task.task_id, runner, reported_attempts=[second])).attempt_id == first
    with pytest.raises(NotFound):
        await described(desk, task.task_id, runner, reported_attempts=[first, second])


async def test_a_task_that_was_never_taken_and_one_that_there_is_not_have_no_run(desk: Desk) -> None:
    task = await desk.hand_off()
    for task_id in (task.task_id, "task_unknown", "dis_1"):
        with pytest.raises(NotFound):
            await described(desk, task_id, Runner(desk))


async def test_a_report_names_the_tasks_own_project(desk: Desk) -> None:
    runner = Runner(desk)
    attempt = await runner.claim()
    with pytest.raises(InvalidInput) as refused:
        await described(desk, attempt.task_id, runner, project="other")
    assert refused.value.data.field == "project"


async def test_a_device_reports_what_it_claimed_and_what_its_agents_took_but_not_what_another_device_claimed(
    desk: Desk,
) -> None:
    mine, other = Runner(desk), Runner(desk)
    attempt = await other.claim()
    with pytest.raises(NotFound):
        await described(desk, attempt.task_id, mine)
    taken = await desk.take()
    assert (await described(desk, taken.task_id, mine)).attempt_id == taken.attempt_id


async def test_a_device_without_the_agent_and_other_agents_find_nothing(desk: Desk) -> None:
    attempt = await Runner(desk).claim()
    for by in (Runner(desk, agents=[f"{desk.jonas}/other"]), f"{desk.jonas}/other", desk.codex, desk.jonas):
        with pytest.raises(NotFound):
            await described(desk, attempt.task_id, by)


async def test_an_agent_reports_its_own_runs_with_its_client_key(desk: Desk) -> None:
    attempt = await desk.take()
    assert (await described(desk, attempt.task_id, desk.claude)).attempt_id == attempt.attempt_id


async def test_a_report_is_late_exactly_when_its_attempt_has_lapsed(desk: Desk) -> None:
    runner = Runner(desk, slots=2)
    live = await runner.claim(key="live")
    assert not (await described(desk, live.task_id, runner)).late
    await desk.let_lapse()
    assert (await described(desk, live.task_id, runner)).late
    returned = await desk.returned()
    assert not (await described(desk, returned.task.task_id, desk.claude)).late


async def test_a_report_ends_a_live_attempt_and_reopens_its_task_once(desk: Desk) -> None:
    runner = Runner(desk)
    await runner.announce()
    task = await desk.hand_off()
    attempt = await runner.claim(task)
    end = EndRun(task_id=task.task_id, attempt_id=attempt.attempt_id)
    ended = (await desk.hub.ask(end, runner.caller)).task
    assert (ended.state, ended.attempt, ended.attempts_used) == ("requested", None, 1)
    assert (await desk.hub.ask(end, runner.caller)).task == ended
    assert await desk.kinds(desk.codex) == ["task_updated", "task_updated"]
    assert await desk.kinds(desk.claude) == ["task_requested", "task_requested"]
    assert await runner.kinds() == ["task_requested", "task_requested"]
    assert (await desk.announced(task.task_id))[-1][0] == "attempt_ended"


async def test_a_report_of_a_former_attempt_leaves_its_successor_alone(desk: Desk) -> None:
    """R9."""
    task, runner = await desk.hand_off(), Runner(desk)
    former = await claimed(desk, runner, task.task_id)
    await runner.claim(task, key="run-2")
    ended = await desk.hub.ask(EndRun(task_id=task.task_id, attempt_id=former), runner.caller)
    assert (ended.task.state, ended.task.attempts_used) == ("working", 2)


async def test_reported_attempts_are_used_up_like_lapsed_ones(desk: Desk) -> None:
    """R4."""
    task, runner = await desk.hand_off(), Runner(desk)
    for number in range(3):
        attempt = await runner.claim(task, key=f"run-{number}")
        await desk.hub.ask(EndRun(task_id=task.task_id, attempt_id=attempt.attempt_id), runner.caller)
    assert (await desk.whole(task.task_id)).state == "failed"


async def test_a_report_after_the_result_changes_nothing(desk: Desk) -> None:
    returned = await desk.returned()
    attempt_id = returned.result.attempt_id or ""
    ended = await desk.hub.ask(EndRun(task_id=returned.task.task_id, attempt_id=attempt_id), desk.claude)
    assert ended.task.state == "returned"
