"""Questions to the requester, while the task waits (R7)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from libs.contracts.errors import Conflict, Forbidden, InvalidInput, NotFound, StaleAttempt
from libs.contracts.tasks import CancelTask, RequestClarification
from services.tasks.domain.inputs import size
from tests.tasks.asking import answer, ask, decide, named, need
from tests.tasks.desk import Desk

SERVICES = ("tasks",)


async def test_a_question_lets_the_task_wait_and_tells_the_requester(desk: Desk) -> None:
    """R7."""
    attempt = await desk.take()
    request = await ask(desk, attempt, options=["The small one", "The large one"])
    assert (request.kind, request.status, request.asked_by) == ("clarification", "pending", desk.claude)
    assert (request.question, request.options) == ("Which form?", ["The small one", "The large one"])
    entry = (await desk.entries(desk.codex))[-1]
    assert (entry.kind, entry.project, entry.body) == ("request_opened", "website", {"request": request.wire()})
    task = await desk.whole(attempt.task_id)
    assert (task.state, task.note, task.requests) == ("waiting", "Which form?", [request])


async def test_the_answer_puts_the_task_back_to_work_and_tells_who_asked(desk: Desk) -> None:
    """R7."""
    attempt = await desk.take()
    request = await ask(desk, attempt)
    answered = await answer(desk, request)
    assert (answered.status, answered.answer, answered.decided_by) == ("answered", "The small one.", desk.codex)
    entry = (await desk.entries(desk.claude))[-1]
    assert (entry.kind, entry.body) == ("request_decided", {"request": answered.wire()})
    task = await desk.whole(attempt.task_id)
    assert (task.state, task.note, task.requests) == ("working", "The small one.", [answered])


async def test_the_next_checkpoint_brings_the_answer_once_to_each_attempt(desk: Desk) -> None:
    attempt = await desk.take()
    answered = await answer(desk, await ask(desk, attempt))
    [directive] = (await desk.checkpoint(attempt)).directives
    assert (directive.kind, directive.request) == ("clarified", answered)
    assert (await desk.checkpoint(attempt)).directives == []
    await desk.let_lapse()
    successor = await desk.take(await desk.whole(attempt.task_id))
    assert [one.request for one in (await desk.checkpoint(successor)).directives] == [answered]


async def test_answers_that_do_not_fit_into_one_checkpoint_come_with_the_next(desk: Desk) -> None:
    attempt = await desk.take()
    for _ in range(8):
        await answer(desk, await ask(desk, attempt, question="€" * 2000), "€" * 2000)
    made = [await desk.checkpoint(attempt, summary="s" * 2000) for _ in range(3)]
    assert [len(checkpoint.directives) for checkpoint in made] == [4, 4, 0]
    assert all(size(checkpoint) <= 64 * 1024 for checkpoint in made)


async def test_a_task_goes_on_when_nothing_more_is_awaited(desk: Desk) -> None:
    """R7."""
    attempt = await desk.take()
    first, second = await ask(desk, attempt), await need(desk, attempt, blocks=True)
    await answer(desk, first)
    assert (await desk.whole(attempt.task_id)).state == "waiting"
    await decide(desk, second, "done")
    assert (await desk.whole(attempt.task_id)).state == "working"


async def test_waiting_suspends_the_heartbeat_deadline_and_the_answer_starts_it_anew(desk: Desk) -> None:
    """R3, R7."""
    attempt = await desk.take()
    request = await ask(desk, attempt)
    shown = (await desk.whole(attempt.task_id)).attempt
    assert shown is not None
    assert shown.deadline is None
    for _ in range(50):
        await desk.let_lapse()
    assert (await desk.whole(attempt.task_id)).state == "waiting"
    await answer(desk, request)
    desk.hub.clock.advance(599)
    await desk.hub.tick("tasks")
    assert (await desk.whole(attempt.task_id)).state == "working"
    desk.hub.clock.advance(2)
    await desk.hub.tick("tasks")
    assert (await desk.whole(attempt.task_id)).state == "requested"


async def test_the_attempts_calls_stay_allowed_while_the_task_waits(desk: Desk) -> None:
    """R7."""
    attempt = await desk.take()
    await ask(desk, attempt)
    assert (await desk.checkpoint(attempt)).task.state == "waiting"
    await ask(desk, attempt, question="And which colour?")
    assert (await desk.finish(attempt)).task.state == "returned"


async def test_a_result_closes_open_requests(desk: Desk) -> None:
    """R7."""
    attempt = await desk.take()
    asked = [await ask(desk, attempt), await need(desk, attempt)]
    await desk.finish(attempt)
    assert {request.status for request in (await desk.whole(attempt.task_id)).requests or ()} == {"closed"}
    with pytest.raises(Conflict, match="closed"):
        await answer(desk, asked[0])
    with pytest.raises(Conflict, match="closed"):
        await decide(desk, asked[1], "done")
    assert (await desk.whole(attempt.task_id)).state == "returned"


async def test_cancelling_a_task_that_waits_closes_its_requests(desk: Desk) -> None:
    """R7, R8."""
    attempt = await desk.take()
    request = await ask(desk, attempt)
    await desk.hub.ask(CancelTask(task_id=attempt.task_id, reason="Not needed."), desk.codex)
    with pytest.raises(Conflict, match="closed"):
        await answer(desk, request)
    with pytest.raises(StaleAttempt):
        await ask(desk, attempt)
    assert (await desk.whole(attempt.task_id)).state == "cancelled"


@pytest.mark.parametrize("side", ["codex", "maya", "rosa"])
async def test_the_requesters_side_answers(desk: Desk, side: str) -> None:
    """R16: as it reviews."""
    by = getattr(desk, side)
    request = await ask(desk)
    assert (await answer(desk, request, by=by)).decided_by == by


async def test_nobody_else_answers(desk: Desk) -> None:
    request = await ask(desk)
    for other in (desk.claude, desk.jonas):
        with pytest.raises(Forbidden):
            await answer(desk, request, by=other)
    for stranger in (desk.stranger, f"{desk.rosa}/bot"):
        with pytest.raises(NotFound) as refused:
            await answer(desk, request, by=stranger)
        assert refused.value.data.field == "request_id"


async def test_of_two_answers_at_once_one_wins_and_may_be_repeated(desk: Desk) -> None:
    for _ in range(10):
        request = await ask(desk)
        answers = [answer(desk, request, by, by) for by in (desk.codex, desk.maya)]
        results = await asyncio.gather(*answers, return_exceptions=True)
        assert len([result for result in results if isinstance(result, Conflict)]) == 1
        winner = next(result for result in results if not isinstance(result, BaseException))
        before = len(await desk.entries(desk.claude))
        assert await answer(desk, request, winner.answer or "", winner.decided_by) == winner
        assert len(await desk.entries(desk.claude)) == before


async def test_the_requester_learns_that_somebody_else_answered(desk: Desk) -> None:
    request = await ask(desk)
    await answer(desk, request, by=desk.maya)
    entry = (await desk.entries(desk.codex))[-1]
    assert (entry.kind, entry.body["task"]["state"]) == ("task_updated", "working")


async def test_a_person_that_handed_off_finds_the_question_in_the_inbox(desk: Desk) -> None:
    attempt = await desk.take(await desk.hand_off(by=desk.maya))
    request = await ask(desk, attempt)
    assert (await desk.inbox(desk.maya)).requests == [request]
    await answer(desk, request, by=desk.maya)
    assert (await desk.inbox(desk.maya)).requests == []


@pytest.mark.parametrize("missing", ["attempt_id", "other"])
async def test_the_attempt_is_the_fence_of_a_question(desk: Desk, missing: str) -> None:
    attempt, other = await desk.take(), await desk.take()
    said: dict[str, Any] = {**named(attempt), "attempt_id": None if missing == "attempt_id" else other.attempt_id}
    with pytest.raises((InvalidInput, NotFound)) as refused:
        await desk.hub.ask(RequestClarification(**said, question="Which form?"), desk.claude)
    assert refused.value.data.field == "attempt_id"
    assert (await desk.whole(attempt.task_id)).state == "working"


async def test_an_attempt_that_lapsed_asks_nothing(desk: Desk) -> None:
    """R9."""
    attempt = await desk.take()
    await desk.let_lapse()
    with pytest.raises(StaleAttempt):
        await ask(desk, attempt)
    assert (await desk.whole(attempt.task_id)).requests is None


async def test_many_tasks_that_wait_keep_no_other_from_lapsing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """R3, R4: the timer looks past them."""
    await desk.let_lapse()
    for _ in range(3):
        await ask(desk)
    attempt = await desk.take()
    monkeypatch.setattr("services.tasks.store.tasks.AT_ONCE", 2)
    await desk.let_lapse()
    assert (await desk.whole(attempt.task_id)).state == "requested"
