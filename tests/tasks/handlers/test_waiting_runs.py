"""Runs that ask, and those that end while their tasks wait (R3, R7)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from libs.contracts.errors import Conflict, InvalidInput, NotFound, StaleAttempt
from libs.contracts.tasks import (
    ClaimedTask,
    EndRun,
    MakeCheckpoint,
    ReadInbox,
    Request,
    RequestCapability,
    RequestClarification,
    RequestStep,
    Task,
)
from tests.tasks.asking import answer, decide
from tests.tasks.desk import Desk
from tests.tasks.runners import Runner

SERVICES = ("tasks",)


async def asked(runner: Runner, task: Task, key: str = "run-1") -> tuple[ClaimedTask, Request]:
    """A run that has asked its requester."""
    claimed = await runner.claim(task, key)
    command = RequestClarification(task_id=task.task_id, question="Which form?")
    return claimed, (await runner.hub.ask(command, await runner.run(key))).request


async def report(runner: Runner, claimed: ClaimedTask) -> None:
    command = EndRun(task_id=claimed.task_id, attempt_id=claimed.attempt_id)
    await runner.hub.ask(command, runner.caller)


async def time_out(runner: Runner, claimed: ClaimedTask) -> None:
    runner.hub.clock.advance(3601)
    await runner.hub.tick("tasks")


async def unlink(runner: Runner, claimed: ClaimedTask) -> None:
    await runner.announce(removed=True)


async def time_out_unmarked(runner: Runner, claimed: ClaimedTask) -> None:
    runner.hub.clock.advance(3601)


async def test_a_run_leaves_its_attempt_out_and_asks_for_its_own_task_alone(desk: Desk) -> None:
    runner, task, other = Runner(desk), await desk.hand_off(), await desk.hand_off()
    claimed, request = await asked(runner, task)
    run = await runner.run()
    assert (request.task_id, request.asked_by) == (task.task_id, desk.claude)
    with pytest.raises(NotFound) as refused:
        await desk.hub.ask(RequestClarification(task_id=other.task_id, question="Which?"), run)
    assert refused.value.data.field == "task_id"
    other_attempt = RequestClarification(task_id=task.task_id, attempt_id="att_other", question="Which?")
    with pytest.raises(InvalidInput):
        await desk.hub.ask(other_attempt, run)
    step = RequestStep(project="website", step="Sign in.", attempt_id=claimed.attempt_id)
    assert (await desk.hub.ask(step, run)).request.task_id == task.task_id
    wish = RequestCapability(project="website", capability="network:pypi", reason="To install.")
    assert (await desk.hub.ask(wish, run)).request.task_id == task.task_id


async def test_the_launch_timeout_ends_a_run_that_waits_and_the_heartbeat_deadline_does_not(desk: Desk) -> None:
    """R3."""
    runner, task = Runner(desk), await desk.hand_off()
    claimed, _ = await asked(runner, task)
    shown = (await desk.whole(task.task_id)).attempt
    assert shown is not None
    assert shown.deadline == claimed.expires_at
    for _ in range(5):
        await desk.let_lapse()
        assert (await desk.whole(task.task_id)).attempt is not None
    await desk.let_lapse()
    ended = await desk.whole(task.task_id)
    assert (ended.state, ended.attempt) == ("waiting", None)
    assert (await desk.kinds(desk.codex))[-1] == "task_updated"


@pytest.mark.parametrize("end", [report, time_out, unlink, time_out_unmarked])
async def test_a_run_that_ends_while_waiting_reopens_the_task_on_the_answer_without_using_up_an_attempt(
    desk: Desk, end: Callable[[Runner, ClaimedTask], Awaitable[None]]
) -> None:
    """R3, R7."""
    runner, task = Runner(desk), await desk.hand_off()
    await runner.announce()
    claimed, request = await asked(runner, task)
    await end(runner, claimed)
    assert (await desk.whole(task.task_id)).state == "waiting"
    told = (await desk.kinds(desk.claude)).count("task_requested")
    await answer(desk, request)
    reopened = await desk.whole(task.task_id)
    assert (reopened.state, reopened.attempts_used, reopened.attempt) == ("requested", 0, None)
    assert (await desk.kinds(desk.claude)).count("task_requested") == told + 1
    assert [event for event, _ in await desk.announced(task.task_id)].count("attempt_ended") == 1


async def test_runs_may_end_waiting_more_often_than_attempts_may_lapse(desk: Desk) -> None:
    """R3."""
    runner, task = Runner(desk), await desk.hand_off()
    for number in range(5):
        claimed, request = await asked(runner, task, f"run-{number}")
        await report(runner, claimed)
        await answer(desk, request, f"Answer {number}.")
    assert (await desk.whole(task.task_id)).state == "requested"


async def test_the_next_run_is_told_the_answer(desk: Desk) -> None:
    """R3."""
    runner, task = Runner(desk), await desk.hand_off()
    claimed, request = await asked(runner, task)
    await report(runner, claimed)
    answered = await answer(desk, request)
    await runner.claim(task, "run-2")
    run = await runner.run("run-2")
    whole = (await desk.hub.ask(ReadInbox(), run)).tasks[0]
    assert whole.requests == [answered]
    made = await desk.hub.ask(MakeCheckpoint(task_id=task.task_id, summary="On it."), run)
    assert [directive.request for directive in made.directives] == [answered]


async def test_nobody_takes_a_task_that_waits(desk: Desk) -> None:
    runner, task = Runner(desk, slots=2), await desk.hand_off()
    claimed, _ = await asked(runner, task)
    await report(runner, claimed)
    with pytest.raises(Conflict, match="waiting"):
        await runner.claim(task, "run-2")
    with pytest.raises(Conflict, match="waiting"):
        await desk.take(task)


async def test_a_run_that_ended_while_waiting_calls_no_more(desk: Desk) -> None:
    """R9."""
    runner, task = Runner(desk), await desk.hand_off()
    claimed, _ = await asked(runner, task)
    run = await runner.run()
    await report(runner, claimed)
    with pytest.raises(StaleAttempt):
        await desk.hub.ask(RequestStep(project="website", step="Sign in."), run)


async def test_a_denied_blocking_step_lets_the_run_go_on(desk: Desk) -> None:
    """R7: a denial is an answer."""
    runner, task = Runner(desk), await desk.hand_off()
    await runner.claim(task)
    command = RequestStep(project="website", step="Sign in.", blocks=True)
    request = (await desk.hub.ask(command, await runner.run())).request
    assert (await desk.whole(task.task_id)).state == "waiting"
    await decide(desk, request, "deny", reason="Use the sandbox.")
    assert (await desk.whole(task.task_id)).state == "working"
