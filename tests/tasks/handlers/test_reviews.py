"""Reviews over the bus (R6, R16)."""

from __future__ import annotations

import asyncio

import pytest

from libs.contracts.errors import Conflict, Forbidden, NotFound, Problem
from libs.contracts.tasks import AcceptResult, RejectResult, ReturnedResult
from tests.tasks.desk import Desk

SERVICES = ("tasks",)


def accept(returned: ReturnedResult, result_id: str | None = None) -> AcceptResult:
    return AcceptResult(task_id=returned.task.task_id, result_id=result_id, note="Good.")


def reject(returned: ReturnedResult, result_id: str | None = None) -> RejectResult:
    return RejectResult(task_id=returned.task.task_id, result_id=result_id, reason="It loses input still.")


async def test_accepting_a_result_ends_the_task_and_tells_the_assignee(desk: Desk) -> None:
    returned = await desk.returned()
    accepted = await desk.hub.ask(accept(returned), desk.codex)
    assert accepted.task.state == "accepted"
    assert accepted.result.review is not None
    assert (accepted.result.review.verdict, accepted.result.review.by) == ("accepted", desk.codex)
    entry = (await desk.entries(desk.claude))[-1]
    assert (entry.kind, entry.body["task"]["state"]) == ("result_reviewed", "accepted")
    assert entry.body["result"]["review"]["note"] == "Good."


async def test_a_rejected_task_is_requested_again_with_the_reason_and_fresh_attempts(desk: Desk) -> None:
    """R6."""
    attempt = await desk.take()
    made = await desk.checkpoint(attempt)
    returned = await desk.finish(attempt)
    await desk.hub.ask(reject(returned), desk.codex)
    assert (await desk.kinds(desk.claude))[-2:] == ["result_reviewed", "task_requested"]
    task = await desk.whole(attempt.task_id, by=desk.claude)
    assert (task.state, task.attempts_used, task.checkpoints) == ("requested", 0, [made.checkpoint])
    assert task.results is not None
    assert task.results[0].review is not None
    assert task.results[0].review.note == "It loses input still."
    assert (await desk.take(task)).attempt_id != attempt.attempt_id


@pytest.mark.parametrize("side", ["codex", "maya", "rosa"])
async def test_requester_owner_and_projects_owner_review(desk: Desk, side: str) -> None:
    returned = await desk.returned()
    reviewed = await desk.hub.ask(accept(returned), getattr(desk, side))
    assert reviewed.task.state == "accepted"


async def test_the_requester_learns_that_its_owner_reviewed(desk: Desk) -> None:
    returned = await desk.returned()
    await desk.hub.ask(accept(returned), desk.maya)
    assert (await desk.kinds(desk.codex))[-1] == "task_updated"
    own = await desk.returned()
    told = len(await desk.entries(desk.codex))
    await desk.hub.ask(accept(own), desk.codex)
    assert len(await desk.entries(desk.codex)) == told


async def test_nobody_else_reviews(desk: Desk) -> None:
    returned = await desk.returned()
    for other in (desk.claude, desk.jonas, f"{desk.maya}/other"):
        with pytest.raises(Forbidden, match="the requester"):
            await desk.hub.ask(accept(returned), other)
    for unseen in (desk.stranger, f"{desk.rosa}/bot"):
        with pytest.raises(NotFound):
            await desk.hub.ask(accept(returned), unseen)


async def test_repeating_the_winning_verdict_is_harmless_and_the_other_one_is_refused(desk: Desk) -> None:
    returned = await desk.returned()
    first = await desk.hub.ask(accept(returned), desk.codex)
    told = len(await desk.entries(desk.claude))
    assert await desk.hub.ask(accept(returned, returned.result.result_id), desk.codex) == first
    with pytest.raises(Conflict, match="accepted already"):
        await desk.hub.ask(reject(returned), desk.codex)
    assert len(await desk.entries(desk.claude)) == told


async def test_of_two_opposite_reviews_at_once_exactly_one_wins(desk: Desk) -> None:
    for _ in range(10):
        returned = await desk.returned()
        asked = [desk.hub.ask(accept(returned), desk.codex), desk.hub.ask(reject(returned), desk.maya)]
        answers = await asyncio.gather(*asked, return_exceptions=True)
        assert [isinstance(answer, Problem) for answer in answers].count(True) == 1
        assert any(isinstance(answer, Conflict) for answer in answers)


async def test_an_older_result_keeps_its_verdict(desk: Desk) -> None:
    returned = await desk.returned()
    await desk.hub.ask(reject(returned), desk.codex)
    again = await desk.finish(await desk.take(returned.task))
    with pytest.raises(Conflict, match="rejected already"):
        await desk.hub.ask(accept(returned, returned.result.result_id), desk.codex)
    await desk.hub.ask(reject(returned, returned.result.result_id), desk.codex)
    assert (await desk.whole(again.task.task_id)).state == "returned"


async def test_the_newest_result_is_meant_when_none_is_named(desk: Desk) -> None:
    returned = await desk.returned()
    await desk.hub.ask(reject(returned), desk.codex)
    again = await desk.finish(await desk.take(returned.task))
    accepted = await desk.hub.ask(accept(again), desk.codex)
    assert (accepted.result.result_id, accepted.task.state) == (again.result.result_id, "accepted")


async def test_a_result_of_another_task_or_none_is_not_found(desk: Desk) -> None:
    returned, other = await desk.returned(), await desk.returned()
    with pytest.raises(NotFound) as foreign:
        await desk.hub.ask(accept(returned, other.result.result_id), desk.codex)
    assert foreign.value.data.field == "result_id"
    with pytest.raises(NotFound):
        await desk.hub.ask(AcceptResult(task_id=(await desk.hand_off()).task_id), desk.codex)


async def test_a_declined_result_awaits_no_review(desk: Desk) -> None:
    returned = await desk.finish(await desk.take(), outcome="declined", evidence=[])
    with pytest.raises(Conflict, match="declined"):
        await desk.hub.ask(accept(returned), desk.codex)
