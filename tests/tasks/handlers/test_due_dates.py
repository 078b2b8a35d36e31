"""Tasks that are due (R13)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from libs.contracts.errors import Conflict, InvalidInput
from libs.contracts.tasks import AcceptTask, RejectResult, Task
from tests.tasks.desk import Desk
from tests.tasks.given import facts

SERVICES = ("tasks",)


async def due_in(desk: Desk, seconds: float, **said: Any) -> Task:
    return await desk.hand_off(due_at=desk.hub.clock.now + timedelta(seconds=seconds), **said)


async def until_due(desk: Desk, seconds: float) -> None:
    desk.hub.clock.advance(seconds)
    await desk.hub.tick("tasks")


async def test_a_task_cannot_be_due_already(desk: Desk) -> None:
    with pytest.raises(InvalidInput) as refused:
        await due_in(desk, 0)
    assert refused.value.data.field == "due_at"


async def test_a_task_that_nobody_took_expires_when_it_is_due_and_both_are_told_once(desk: Desk) -> None:
    task = await due_in(desk, 60)
    await until_due(desk, 59)
    assert (await desk.whole(task.task_id)).state == "requested"
    for _ in range(2):
        await until_due(desk, 1)
    for agent in (desk.codex, desk.claude):
        entry = (await desk.entries(agent))[-1]
        assert (entry.kind, entry.body["task"]["state"]) == ("task_updated", "expired")
    assert await desk.kinds(desk.codex) == ["task_updated"]
    with pytest.raises(Conflict, match="expired"):
        await desk.hub.ask(AcceptTask(task_id=task.task_id), desk.claude)
    assert (await desk.inbox()).tasks == []


async def test_a_task_that_awaits_its_owner_expires_unheard_by_the_assignee(desk: Desk) -> None:
    """R2."""
    task = await due_in(desk, 60, facts=facts(project_owner=desk.rosa, takes_tasks_from="owner"))
    await until_due(desk, 60)
    assert (await desk.whole(task.task_id)).state == "expired"
    assert await desk.kinds(desk.codex) == ["task_updated"]
    assert await desk.kinds(desk.claude) == []


async def test_a_live_attempt_goes_on_and_is_told_to_come_to_an_end(desk: Desk) -> None:
    task = await due_in(desk, 60)
    attempt = await desk.take(task)
    assert (await desk.checkpoint(attempt)).directives == []
    await until_due(desk, 60)
    [directive] = (await desk.checkpoint(attempt)).directives
    assert (directive.kind, directive.at) == ("deadline", task.due_at)
    assert (await desk.finish(attempt)).task.state == "returned"
    await until_due(desk, 1)
    assert (await desk.whole(task.task_id)).state == "returned"


async def test_a_task_that_lapsed_after_it_was_due_expires(desk: Desk) -> None:
    task = await due_in(desk, 60)
    await desk.take(task)
    await desk.let_lapse()
    assert (await desk.whole(task.task_id)).state == "expired"


async def test_a_task_that_is_rejected_after_it_was_due_is_asked_for_again_without_the_date(desk: Desk) -> None:
    """R6."""
    task = await due_in(desk, 60)
    await desk.finish(await desk.take(task))
    desk.hub.clock.advance(60)
    rejected = await desk.hub.ask(RejectResult(task_id=task.task_id, reason="Once more."), desk.codex)
    assert (rejected.task.state, rejected.task.due_at) == ("requested", None)
    await until_due(desk, 1)
    assert (await desk.whole(task.task_id)).state == "requested"


async def test_a_task_that_is_rejected_before_it_is_due_keeps_its_date(desk: Desk) -> None:
    task = await due_in(desk, 60)
    await desk.finish(await desk.take(task))
    rejected = await desk.hub.ask(RejectResult(task_id=task.task_id, reason="Once more."), desk.codex)
    assert rejected.task.due_at == task.due_at


async def test_taking_a_task_before_anyone_marked_it_expired_holds_it(desk: Desk) -> None:
    task = await due_in(desk, 60)
    desk.hub.clock.advance(61)
    await desk.take(task)
    await desk.hub.tick("tasks")
    assert (await desk.whole(task.task_id)).state == "working"
