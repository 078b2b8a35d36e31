"""What an inbox shows: pages of tasks, what awaits a review, and the results and checkpoints of one task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, and_, func, or_
from sqlmodel import col, select

from libs.bus import Work
from libs.contracts.caller import Caller
from libs.contracts.errors import BadCursor
from libs.contracts.tasks import ReadInbox
from services.tasks.domain import OPEN, Checkpoint, Result, Task

NEWEST_REVIEWS = 20
NEWEST_OF_A_TASK = 50


async def results_of(work: Work, task: Task) -> tuple[Sequence[Result], int]:
    """The task's newest results, and how many there are."""
    return await _newest(work, Result, task), await _count(work, Result, task)


async def checkpoints_of(work: Work, task: Task) -> tuple[Sequence[Checkpoint], int]:
    """The task's newest checkpoints, and how many there are."""
    return await _newest(work, Checkpoint, task), await _count(work, Checkpoint, task)


async def _newest(work: Work, thing: type[Any], task: Task) -> Sequence[Any]:
    query = select(thing).where(thing.task_id == task.task_id).order_by(thing.version.desc()).limit(NEWEST_OF_A_TASK)
    return (await work.session.exec(query)).all()


async def _count(work: Work, thing: type[Any], task: Task) -> int:
    return (await work.session.exec(select(func.count()).where(thing.task_id == task.task_id))).one()


async def tasks_of_inbox(work: Work, query: ReadInbox, caller: Caller) -> Sequence[Task]:
    """A page of the caller's tasks, newest first, and one more when there is one."""
    states = OPEN if query.states is None else query.states
    tasks = select(Task).where(_inbox_of(query, caller), col(Task.state).in_(states))
    if query.project is not None:
        tasks = tasks.where(Task.project == query.project)
    if query.after is not None:
        tasks = tasks.where(await _older_than(work, query.after))
    newest_first = tasks.order_by(col(Task.created_at).desc(), col(Task.task_id).desc())
    return (await work.session.exec(newest_first.limit(query.limit + 1))).all()


def _inbox_of(query: ReadInbox, caller: Caller) -> ColumnElement[bool]:
    assigned, requested = col(Task.assignee) == caller.subject, col(Task.requester) == caller.subject
    if query.role == "assignee":
        return assigned
    if query.role == "requester":
        return requested
    if query.role == "owner":
        return or_(col(Task.assignee_owner) == caller.person, col(Task.requester_owner) == caller.person)
    return or_(assigned, requested)


async def _older_than(work: Work, task_id: str) -> ColumnElement[bool]:
    last = await work.session.get(Task, task_id)
    if last is None:
        raise BadCursor("Leave the cursor out to start with the newest tasks.", field="cursor")
    same_time = and_(col(Task.created_at) == last.created_at, col(Task.task_id) < last.task_id)
    return or_(col(Task.created_at) < last.created_at, same_time)


async def awaited_reviews(work: Work, query: ReadInbox, caller: Caller) -> Sequence[tuple[Task, Result]]:
    """The newest results that the caller may review, with their tasks (R16)."""
    deciders = (Task.requester, Task.requester_owner, Task.project_owner)
    reviews = (
        select(Task, Result)
        .join(Result, col(Result.task_id) == col(Task.task_id))
        .where(Task.state == "returned", col(Result.verdict).is_(None))
        .where(or_(*(col(decider) == caller.subject for decider in deciders)))
        .order_by(col(Result.returned_at).desc(), col(Result.result_id).desc())
        .limit(NEWEST_REVIEWS)
    )
    if query.project is not None:
        reviews = reviews.where(Task.project == query.project)
    return (await work.session.exec(reviews)).all()
