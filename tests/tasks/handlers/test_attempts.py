"""Attempts over the bus: one holder, and nothing under an ended attempt (R3, R4, R5, R9)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any

import pytest

from libs.contracts.errors import Conflict, EvidenceRequired, Forbidden, InvalidInput, NotFound, StaleAttempt
from libs.contracts.tasks import AcceptResult, AcceptTask, Attempt, CancelTask, ReturnResult
from tests.tasks.desk import Desk
from tests.tasks.given import proof

SERVICES = ("tasks",)

Ends = Callable[[Desk, Attempt], Awaitable[Any]]


async def test_taking_a_task_starts_an_attempt_and_tells_the_requester(desk: Desk) -> None:
    task = await desk.hand_off()
    accepted = await desk.hub.ask(AcceptTask(task_id=task.task_id, note="On it."), desk.claude)
    assert accepted.attempt is not None
    assert (accepted.attempt.kind, accepted.attempt.agent_id) == ("interactive", desk.claude)
    assert (accepted.task.state, accepted.task.attempts_used, accepted.task.note) == ("working", 1, "On it.")
    assert accepted.task.attempt is not None
    assert accepted.task.attempt.attempt_id == accepted.attempt.attempt_id
    assert await desk.kinds(desk.codex) == ["task_updated"]


async def test_nobody_but_the_holder_ever_sees_the_attempts_id(desk: Desk) -> None:
    attempt = await desk.take()
    await desk.checkpoint(attempt)
    for viewer in (desk.codex, desk.maya, desk.jonas):
        assert attempt.attempt_id not in (await desk.whole(attempt.task_id, by=viewer)).model_dump_json()
    await desk.finish(attempt)
    assert [attempt.attempt_id in str(entry.body) for entry in await desk.entries(desk.codex)] == [False] * 3
    assert attempt.attempt_id not in (await desk.inbox()).model_dump_json()


async def test_the_others_are_told_who_holds_the_task(desk: Desk) -> None:
    """R5."""
    attempt = await desk.take()
    with pytest.raises(Conflict) as refused:
        await desk.hub.ask(AcceptTask(task_id=attempt.task_id), desk.claude)
    assert refused.value.data.details == {"holder": desk.claude}
    assert desk.claude in refused.value.data.message


async def test_of_many_that_take_a_task_at_once_exactly_one_wins(desk: Desk) -> None:
    """R5: 8 at once, again and again."""
    for _ in range(25):
        task = await desk.hand_off()
        takers = [desk.hub.ask(AcceptTask(task_id=task.task_id), desk.claude) for _ in range(8)]
        answers = await asyncio.gather(*takers, return_exceptions=True)
        losers = [answer for answer in answers if isinstance(answer, Conflict)]
        assert len(losers) == 7
        assert {str(loser.data.details) for loser in losers} == {str({"holder": desk.claude})}


async def test_the_winner_repeating_its_call_with_its_key_gets_the_same_attempt(desk: Desk) -> None:
    """R5."""
    task = await desk.hand_off()
    take = AcceptTask(task_id=task.task_id, idempotency_key="take")
    first = await desk.hub.ask(take, desk.claude, key="take", argument_hash="same")
    assert await desk.hub.ask(take, desk.claude, key="take", argument_hash="same") == first


async def test_only_the_assignee_takes_a_task_and_strangers_do_not_find_it(desk: Desk) -> None:
    task = await desk.hand_off()
    with pytest.raises(Forbidden, match=desk.claude):
        await desk.hub.ask(AcceptTask(task_id=task.task_id), f"{desk.jonas}/other")
    with pytest.raises(NotFound):
        await desk.hub.ask(AcceptTask(task_id=task.task_id), desk.stranger)


async def test_declining_ends_the_task_and_tells_the_requester_why(desk: Desk) -> None:
    task = await desk.hand_off()
    declined = await desk.hub.ask(AcceptTask(task_id=task.task_id, decline_reason="No time."), desk.claude)
    assert (declined.task.state, declined.attempt) == ("declined", None)
    [entry] = await desk.entries(desk.codex)
    assert (entry.kind, entry.body["task"]["note"]) == ("task_updated", "No time.")
    with pytest.raises(Conflict, match="declined"):
        await desk.take(task)


async def test_a_checkpoint_renews_the_attempt_and_tells_the_requester(desk: Desk) -> None:
    attempt = await desk.take()
    desk.hub.clock.advance(300)
    made = await desk.checkpoint(attempt, progress=50, files=["src/form.ts"], next="The rest.")
    assert made.task.attempt is not None
    assert (made.task.attempt.deadline - attempt.deadline).total_seconds() == 300
    assert (made.checkpoint.progress, made.checkpoint.next, made.directives) == (50, "The rest.", [])
    entry = (await desk.entries(desk.codex))[-1]
    assert (entry.kind, entry.body) == ("checkpoint", {"checkpoint": made.checkpoint.wire()})


async def test_an_attempt_that_is_renewed_is_never_handed_out_again_and_one_that_is_not_exactly_once(
    desk: Desk,
) -> None:
    """R4."""
    attempt = await desk.take()
    for _ in range(5):
        desk.hub.clock.advance(599)
        await desk.hub.tick("tasks")
        await desk.checkpoint(attempt)
    assert await desk.kinds(desk.claude) == ["task_requested"]
    await desk.let_lapse()
    await desk.hub.tick("tasks")
    assert await desk.kinds(desk.claude) == ["task_requested", "task_requested"]


async def test_a_heartbeat_before_anyone_marked_the_lapse_still_holds_the_task(desk: Desk) -> None:
    """R4."""
    attempt = await desk.take()
    desk.hub.clock.advance(10_000)
    await desk.checkpoint(attempt)
    await desk.hub.tick("tasks")
    assert (await desk.whole(attempt.task_id)).state == "working"


async def test_a_heartbeat_and_the_timer_at_once_agree_on_who_was_first(desk: Desk) -> None:
    """R4: renewed and still held, or lapsed and refused."""
    attempts = [await desk.take() for _ in range(20)]
    desk.hub.clock.advance(601)
    heartbeats = [desk.checkpoint(attempt) for attempt in attempts]
    answers = await asyncio.gather(*heartbeats, desk.hub.tick("tasks"), return_exceptions=True)
    for attempt, answer in zip(attempts, answers[:-1], strict=True):
        state = (await desk.whole(attempt.task_id)).state
        assert state == ("requested" if isinstance(answer, StaleAttempt) else "working")


async def test_a_lapse_reopens_the_task_with_its_last_checkpoint_and_tells_both(desk: Desk) -> None:
    """R4."""
    attempt = await desk.take()
    made = await desk.checkpoint(attempt)
    await desk.let_lapse()
    task = await desk.whole(attempt.task_id, by=desk.claude)
    assert (task.state, task.attempt, task.attempts_used) == ("requested", None, 1)
    assert task.checkpoints == [made.checkpoint]
    assert (await desk.kinds(desk.codex))[-1] == "task_updated"
    assert (await desk.kinds(desk.claude))[-1] == "task_requested"


async def test_a_task_fails_with_its_third_lapse_and_both_are_told(desk: Desk) -> None:
    """R4."""
    task = await desk.hand_off()
    for _ in range(3):
        await desk.take(task)
        await desk.let_lapse()
    assert (await desk.whole(task.task_id)).state == "failed"
    for agent in (desk.codex, desk.claude):
        entry = (await desk.entries(agent))[-1]
        assert (entry.kind, entry.body["task"]["state"]) == ("task_updated", "failed")


async def lapse(desk: Desk, attempt: Attempt) -> None:
    await desk.let_lapse()


async def supersede(desk: Desk, attempt: Attempt) -> None:
    await desk.let_lapse()
    await desk.hub.ask(AcceptTask(task_id=attempt.task_id), desk.claude)


async def cancel(desk: Desk, attempt: Attempt) -> None:
    await desk.hub.ask(CancelTask(task_id=attempt.task_id, reason="Not needed."), desk.maya)


async def finish(desk: Desk, attempt: Attempt) -> None:
    await desk.finish(attempt)


async def accept(desk: Desk, attempt: Attempt) -> None:
    await desk.finish(attempt)
    await desk.hub.ask(AcceptResult(task_id=attempt.task_id), desk.codex)


@pytest.mark.parametrize(
    ("end", "said"),
    [(lapse, "lapsed"), (supersede, "lapsed"), (cancel, "cancelled"), (finish, "result"), (accept, "result")],
)
async def test_nothing_happens_under_an_ended_attempt_and_its_successor_is_untouched(
    desk: Desk, end: Ends, said: str
) -> None:
    """R9."""
    attempt = await desk.take()
    await end(desk, attempt)
    before = await desk.whole(attempt.task_id, by=desk.claude)
    told = len(await desk.entries(desk.codex))
    with pytest.raises(StaleAttempt, match=said):
        await desk.checkpoint(attempt)
    with pytest.raises(StaleAttempt, match=said):
        await desk.finish(attempt)
    assert await desk.whole(attempt.task_id, by=desk.claude) == before
    assert len(await desk.entries(desk.codex)) == told


async def test_a_holder_of_a_cancelled_task_is_told_who_cancelled_it(desk: Desk) -> None:
    """R8."""
    attempt = await desk.take()
    await cancel(desk, attempt)
    with pytest.raises(StaleAttempt, match=f"{desk.maya} cancelled"):
        await desk.checkpoint(attempt)


async def test_an_attempt_of_another_task_or_agent_or_of_none_is_not_found(desk: Desk) -> None:
    attempt, other = await desk.take(), await desk.take()
    for by, said in [
        (desk.claude, {"task_id": other.task_id}),
        (desk.claude, {"attempt_id": "att_unknown"}),
        (desk.codex, {}),
        (f"{desk.jonas}/other", {}),
        (desk.stranger, {}),
    ]:
        with pytest.raises(NotFound):
            await desk.checkpoint(attempt, by=by, **said)


async def test_a_result_that_was_returned_is_answered_again_under_its_key(desk: Desk) -> None:
    """R9: stored answers are looked up first."""
    attempt = await desk.take()
    result = ReturnResult(
        task_id=attempt.task_id, attempt_id=attempt.attempt_id, outcome="partial", summary="Half.", evidence=[]
    )
    first = await desk.hub.ask(result, desk.claude, key="return", argument_hash="same")
    assert await desk.hub.ask(result, desk.claude, key="return", argument_hash="same") == first


async def test_a_done_result_must_prove_each_criterion(desk: Desk) -> None:
    """R15."""
    task = await desk.hand_off(acceptance=["One.", "Two."], evidence=[["commit"], ["test_run", "log"]])
    attempt = await desk.take(task)
    with pytest.raises(EvidenceRequired) as refused:
        await desk.finish(attempt, evidence=[proof(criterion=0)])
    assert refused.value.data.details == {"missing": [{"criterion": 1, "kinds": ["test_run", "log"]}]}
    with pytest.raises(InvalidInput) as malformed:
        await desk.finish(attempt, evidence=[proof(criterion=0), proof(ref="not a hash", criterion=1)])
    assert malformed.value.data.field == "evidence[1].ref"
    run = proof("test_run", "pytest", note="passed", criterion=1)
    assert (await desk.finish(attempt, evidence=[proof(criterion=0), run])).task.state == "returned"


@pytest.mark.parametrize("outcome", ["partial", "blocked", "failed"])
async def test_other_outcomes_need_the_summary_only_and_await_a_review(desk: Desk, outcome: str) -> None:
    """R15."""
    returned = await desk.finish(await desk.take(), outcome=outcome, evidence=[])
    assert (returned.task.state, returned.task.attempt) == ("returned", None)
    entry = (await desk.entries(desk.codex))[-1]
    assert (entry.kind, entry.body["result"]["outcome"]) == ("result_returned", outcome)
    assert entry.body["task"]["state"] == "returned"


async def test_a_declined_outcome_gives_the_task_up(desk: Desk) -> None:
    """R15."""
    returned = await desk.finish(await desk.take(), outcome="declined", evidence=[])
    assert returned.task.state == "declined"
    assert (await desk.kinds(desk.codex))[-1] == "result_returned"
    assert (await desk.inbox()).reviews == []


async def test_inputs_are_bounded_and_the_longest_field_is_named(desk: Desk) -> None:
    attempt = await desk.take()
    with pytest.raises(InvalidInput) as refused:
        await desk.finish(attempt, summary="s" * 8000, evidence=[proof(note="n" * 500)] * 40)
    assert refused.value.data.field == "evidence"


async def test_other_services_learn_when_an_attempt_starts_and_ends_in_rising_versions(desk: Desk) -> None:
    """R42."""
    task = await desk.hand_off()
    await desk.take(task)
    await desk.let_lapse()
    attempt = await desk.take(task)
    await desk.checkpoint(attempt)
    await desk.finish(attempt)
    events = [event for event in await desk.announced(task.task_id) if event[0] != "task_requested"]
    assert [event for event, _ in events] == ["attempt_started", "attempt_ended", "attempt_started", "attempt_ended"]
    assert datetime.fromisoformat(events[2][1]["started_at"]) == attempt.claimed_at
    versions = [body["version"] for _, body in events]
    assert versions == sorted(set(versions))
