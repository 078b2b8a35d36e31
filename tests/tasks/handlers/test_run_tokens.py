"""Runs and their credentials over the bus: live, renewed, ended (R3, R8, R9, R10)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from libs.contracts.base import Command
from libs.contracts.errors import Forbidden, InvalidInput, NotFound, StaleAttempt
from libs.contracts.tasks import CancelTask, EndRun, MakeCheckpoint, ReadInbox, RejectResult, ReturnResult, Task
from tests.tasks.desk import Desk
from tests.tasks.runners import Runner

SERVICES = ("tasks",)


def checkpoint(task: Task, **said: Any) -> MakeCheckpoint:
    return MakeCheckpoint(task_id=task.task_id, summary="Half of it works.", **said)


def result(task: Task, **said: Any) -> ReturnResult:
    return ReturnResult(**{"task_id": task.task_id, "outcome": "partial", "summary": "Half.", **said})


def told(task: Task, **said: Any) -> list[Command[Any]]:
    """What a run says of its task."""
    return [checkpoint(task, **said), result(task, **said)]


async def deadline(desk: Desk, task: Task) -> float:
    """Seconds that the live attempt of a task has left."""
    attempt = (await desk.whole(task.task_id)).attempt
    assert attempt is not None
    return (attempt.deadline - desk.hub.clock.now).total_seconds()


async def test_a_token_says_for_which_run_of_which_agent_it_is(desk: Desk) -> None:
    task, runner = await desk.hand_off(), Runner(desk)
    claimed = await runner.claim(task)
    token = await runner.token()
    assert token.caller is not None
    assert (token.caller.kind, token.caller.subject, token.caller.project) == ("run", desk.claude, "website")
    assert token.caller.run is not None
    run = token.caller.run
    assert (run.project, run.attempt_id, run.task_id) == ("website", claimed.attempt_id, task.task_id)
    assert (token.expires_at, token.ended, token.may_repeat_result) == (claimed.expires_at, None, False)


async def test_an_unknown_token_is_nobodys(desk: Desk) -> None:
    assert (await Runner(desk).token("never-claimed")).caller is None


async def test_any_call_renews_the_attempt_but_at_most_once_in_a_tenth_of_its_deadline(desk: Desk) -> None:
    """R3."""
    task, runner = await desk.hand_off(), Runner(desk)
    await runner.claim(task)
    desk.hub.clock.advance(59)
    await runner.token()
    assert await deadline(desk, task) == 541
    desk.hub.clock.advance(1)
    await runner.token()
    assert await deadline(desk, task) == 600


async def test_a_silent_build_of_twenty_minutes_lives_as_long_as_its_device_waits(desk: Desk) -> None:
    """R3."""
    task, runner = await desk.hand_off(), Runner(desk)
    await runner.claim(task)
    for _ in range(48):
        desk.hub.clock.advance(25)
        await runner.wait()
        await desk.hub.tick("tasks")
    assert (await desk.whole(task.task_id)).state == "working"
    await desk.let_lapse()
    assert (await desk.whole(task.task_id)).state == "requested"


async def test_a_wait_renews_all_runs_of_its_device_when_they_are_due_and_no_others(desk: Desk) -> None:
    """R3."""
    mine, other = Runner(desk, slots=2), Runner(desk)
    tasks = [await desk.hand_off() for _ in range(3)]
    await mine.claim(tasks[0], key="one")
    await mine.claim(tasks[1], key="two")
    await other.claim(tasks[2])
    assert await mine.wait() == 0
    desk.hub.clock.advance(60)
    assert await mine.wait() == 2
    assert [await deadline(desk, task) for task in tasks] == [600, 600, 540]


async def test_nothing_renews_a_run_past_its_launch_timeout(desk: Desk) -> None:
    """R3."""
    task, runner = await desk.hand_off(), Runner(desk)
    await runner.claim(task)
    for _ in range(7):
        desk.hub.clock.advance(500)
        await runner.wait()
        await runner.token()
        await desk.hub.ask(checkpoint(task), await runner.run())
    assert await deadline(desk, task) == 100
    run = await runner.run()
    desk.hub.clock.advance(100)
    assert await runner.wait() == 0
    assert "lapsed" in ((await runner.token()).ended or "")
    for command in told(task):
        with pytest.raises(StaleAttempt, match="launch timeout"):
            await desk.hub.ask(command, run)
    await desk.hub.tick("tasks")
    assert (await desk.whole(task.task_id)).state == "requested"


async def test_a_run_need_not_name_its_attempt_and_may_repeat_it_but_name_no_other(desk: Desk) -> None:
    task, runner = await desk.hand_off(), Runner(desk)
    claimed = await runner.claim(task)
    run = await runner.run()
    assert (await desk.hub.ask(checkpoint(task), run)).checkpoint.task_id == task.task_id
    await desk.hub.ask(checkpoint(task, attempt_id=claimed.attempt_id), run)
    with pytest.raises(InvalidInput) as other:
        await desk.hub.ask(checkpoint(task, attempt_id="att_other"), run)
    assert other.value.data.field == "attempt_id"
    with pytest.raises(NotFound) as elsewhere:
        await desk.hub.ask(checkpoint(await desk.hand_off()), run)
    assert elsewhere.value.data.field == "task_id"
    assert (await desk.hub.ask(result(task), run)).result.attempt_id == claimed.attempt_id


async def test_everybody_else_must_name_the_attempt(desk: Desk) -> None:
    """The id is the fence (R3)."""
    attempt = await desk.take()
    for command in told(await desk.whole(attempt.task_id)):
        with pytest.raises(InvalidInput) as refused:
            await desk.hub.ask(command, desk.claude)
        assert refused.value.data.field == "attempt_id"


async def test_another_session_of_the_agent_does_not_work_under_its_run(desk: Desk) -> None:
    task, runner = await desk.hand_off(), Runner(desk)
    claimed = await runner.claim(task)
    for command in told(task, attempt_id=claimed.attempt_id):
        with pytest.raises(Forbidden, match="credential of its own"):
            await desk.hub.ask(command, desk.claude)
    assert (await desk.whole(task.task_id)).state == "working"


async def test_a_run_reads_its_own_task_whole_and_no_other(desk: Desk) -> None:
    """With the rejected result and the last checkpoint of the former holder (R6)."""
    attempt = await desk.take()
    made = await desk.checkpoint(attempt)
    await desk.finish(attempt)
    rejected = await desk.hub.ask(RejectResult(task_id=attempt.task_id, reason="Not on mobile."), desk.codex)
    other, runner = await desk.hand_off(), Runner(desk)
    await runner.claim(rejected.task)
    run = await runner.run()
    for asked in (ReadInbox(), ReadInbox(task_id=attempt.task_id), ReadInbox(states=["accepted"], project="other")):
        page = await desk.hub.ask(asked, run)
        [whole] = page.tasks
        assert whole.packet is not None
        assert whole.packet.objective == "It loses input."
        assert whole.checkpoints == [made.checkpoint]
        assert [one.review and one.review.note for one in whole.results or ()] == ["Not on mobile."]
        assert (page.reviews, page.last) == ([], None)
    with pytest.raises(NotFound):
        await desk.hub.ask(ReadInbox(task_id=other.task_id), run)


Ends = Callable[[Desk, Runner, Task], Awaitable[Any]]


async def lapse(desk: Desk, runner: Runner, task: Task) -> None:
    await desk.let_lapse()


async def cancel(desk: Desk, runner: Runner, task: Task) -> None:
    await desk.hub.ask(CancelTask(task_id=task.task_id, reason="Not needed."), desk.rosa)


async def finish(desk: Desk, runner: Runner, task: Task) -> None:
    await desk.hub.ask(result(task), await runner.run())


async def report(desk: Desk, runner: Runner, task: Task) -> None:
    run = (await runner.run()).run
    assert run is not None
    await desk.hub.ask(EndRun(task_id=task.task_id, attempt_id=run.attempt_id or ""), runner.caller)


async def remove(desk: Desk, runner: Runner, task: Task) -> None:
    await runner.announce(removed=True)


ENDS = [(lapse, "lapsed"), (cancel, "rosa"), (finish, "its result"), (report, "was reported"), (remove, "its device")]


@pytest.mark.parametrize(("end", "said"), ENDS)
async def test_a_run_that_ended_is_told_how_at_its_next_call_and_for_a_day(desk: Desk, end: Ends, said: str) -> None:
    """R8, R9, R10: a final word, not "nothing to do"."""
    task, runner = await desk.hand_off(), Runner(desk)
    await runner.claim(task)
    run = await runner.run()
    await end(desk, runner, task)
    ended = await runner.token()
    assert said in (ended.ended or "")
    with pytest.raises(StaleAttempt) as refused:
        await desk.hub.ask(checkpoint(task), run)
    assert refused.value.data.message == ended.ended
    desk.hub.clock.advance(86_399)
    assert (await runner.token()).ended == ended.ended
    desk.hub.clock.advance(1)
    assert (await runner.token()).caller is None


@pytest.mark.parametrize(("end", "said"), ENDS)
async def test_only_a_run_that_returned_its_result_may_repeat_it_and_for_ten_minutes(
    desk: Desk, end: Ends, said: str
) -> None:
    """R10."""
    task, runner = await desk.hand_off(), Runner(desk)
    await runner.claim(task)
    await end(desk, runner, task)
    assert (await runner.token()).may_repeat_result is (end is finish)
    desk.hub.clock.advance(600)
    assert (await runner.token()).may_repeat_result is (end is finish)
    desk.hub.clock.advance(1)
    assert (await runner.token()).may_repeat_result is False


async def test_a_run_whose_socket_broke_gets_the_answer_to_its_result_under_its_key(desk: Desk) -> None:
    """R9, R10."""
    task, runner = await desk.hand_off(), Runner(desk)
    await runner.claim(task)
    run = await runner.run()
    once = {"key": "result", "argument_hash": "same"}
    first = await desk.hub.ask(result(task), run, **once)
    assert await desk.hub.ask(result(task), (await runner.token()).caller or run, **once) == first
    with pytest.raises(StaleAttempt):
        await desk.hub.ask(result(task), run, key="another", argument_hash="same")


async def test_a_lapsed_run_leaves_its_successor_untouched(desk: Desk) -> None:
    """R9: the old run returns its result after another one has the task."""
    task, runner = await desk.hand_off(), Runner(desk)
    await runner.claim(task, key="old")
    old = await runner.run("old")
    await desk.let_lapse()
    successor = await runner.claim(task, key="new")
    before = await desk.whole(task.task_id, by=desk.claude)
    for command in told(task):
        with pytest.raises(StaleAttempt, match="lapsed"):
            await desk.hub.ask(command, old)
    assert await desk.whole(task.task_id, by=desk.claude) == before
    new = (await runner.run("new")).run
    assert new is not None
    assert new.attempt_id == successor.attempt_id


async def test_a_lapsed_run_reopens_its_task_with_its_checkpoint_and_the_third_fails_it(desk: Desk) -> None:
    """R4."""
    task, runner = await desk.hand_off(), Runner(desk)
    for number in range(3):
        await runner.claim(task, key=f"run-{number}")
        made = await desk.hub.ask(checkpoint(task), await runner.run(f"run-{number}"))
        assert (await desk.whole(task.task_id)).attempts_used == number + 1
        await desk.let_lapse()
        assert ((await desk.whole(task.task_id)).checkpoints or [])[0] == made.checkpoint
    assert (await desk.whole(task.task_id)).state == "failed"
    assert (await desk.entries(desk.codex))[-1].body["task"]["state"] == "failed"


async def test_a_sign_of_life_before_anyone_marked_the_lapse_keeps_the_run(desk: Desk) -> None:
    """R4."""
    task, runner = await desk.hand_off(), Runner(desk)
    await runner.claim(task)
    desk.hub.clock.advance(1_000)
    assert (await runner.token()).ended is None
    await desk.hub.tick("tasks")
    assert (await desk.whole(task.task_id)).state == "working"


async def test_signs_of_life_and_the_timer_at_once_agree_on_who_was_first(desk: Desk) -> None:
    """R4: renewed and still held, or lapsed and told so."""
    runner = Runner(desk, slots=20)
    tasks = {f"run-{number}": await desk.hand_off() for number in range(20)}
    for key, task in tasks.items():
        await runner.claim(task, key=key)
    desk.hub.clock.advance(601)
    signs = asyncio.gather(*map(runner.token, tasks))
    tokens, *_ = await asyncio.gather(signs, desk.hub.tick("tasks"), runner.wait())
    for task, token in zip(tasks.values(), tokens, strict=True):
        state = (await desk.whole(task.task_id)).state
        assert state == ("requested" if token.ended else "working")
