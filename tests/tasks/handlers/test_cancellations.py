"""Cancelling over the bus (R8)."""

from __future__ import annotations

import asyncio

import pytest

from libs.contracts.errors import Conflict, Forbidden, NotFound, Problem
from libs.contracts.tasks import AcceptTask, CancelTask
from tests.tasks.desk import Desk

SERVICES = ("tasks",)


def cancel(task_id: str) -> CancelTask:
    return CancelTask(task_id=task_id, reason="Not needed.")


async def test_cancelling_ends_task_and_attempt_together_and_tells_the_holder_why(desk: Desk) -> None:
    attempt = await desk.take()
    cancelled = await desk.hub.ask(cancel(attempt.task_id), desk.codex)
    assert (cancelled.task.state, cancelled.task.attempt) == ("cancelled", None)
    entry = (await desk.entries(desk.claude))[-1]
    assert (entry.kind, entry.body["task"]["note"]) == ("cancel_requested", "Not needed.")
    assert [event for event, _ in await desk.announced(attempt.task_id)][-1] == "attempt_ended"


async def test_an_assignee_that_had_not_taken_it_learns_that_the_task_changed(desk: Desk) -> None:
    task = await desk.hand_off()
    await desk.hub.ask(cancel(task.task_id), desk.codex)
    assert await desk.kinds(desk.claude) == ["task_requested", "task_updated"]
    assert await desk.kinds(desk.codex) == []


@pytest.mark.parametrize("side", ["maya", "rosa"])
async def test_the_requester_learns_that_an_owner_cancelled(desk: Desk, side: str) -> None:
    task = await desk.hand_off()
    await desk.hub.ask(cancel(task.task_id), getattr(desk, side))
    assert await desk.kinds(desk.codex) == ["task_updated"]


async def test_nobody_else_cancels(desk: Desk) -> None:
    task = await desk.hand_off()
    for other in (desk.claude, desk.jonas, f"{desk.maya}/other"):
        with pytest.raises(Forbidden, match="the requester"):
            await desk.hub.ask(cancel(task.task_id), other)
    with pytest.raises(NotFound):
        await desk.hub.ask(cancel(task.task_id), desk.stranger)


async def test_a_returned_task_is_cancelled_too_but_a_final_one_is_not(desk: Desk) -> None:
    returned = await desk.returned()
    await desk.hub.ask(cancel(returned.task.task_id), desk.codex)
    with pytest.raises(Conflict, match="final"):
        await desk.hub.ask(cancel(returned.task.task_id), desk.codex)


async def test_taking_and_cancelling_at_once_leave_no_attempt_alive(desk: Desk) -> None:
    for _ in range(10):
        task = await desk.hand_off()
        take = desk.hub.ask(AcceptTask(task_id=task.task_id), desk.claude)
        answers = await asyncio.gather(take, desk.hub.ask(cancel(task.task_id), desk.codex), return_exceptions=True)
        assert not isinstance(answers[1], Problem)
        assert (await desk.whole(task.task_id)).attempt is None
