"""Every query of tasks. A task's row is the lock of everything below it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, and_, func, or_
from sqlmodel import col, select

from libs.bus import Work
from libs.contracts.caller import Caller
from libs.contracts.errors import BadCursor, NotFound
from libs.contracts.tasks import ReadInbox
from services.tasks.domain import OPEN, Attempt, Checkpoint, Packet, Result, Task

NEWEST_REVIEWS = 20
NEWEST_OF_A_TASK = 50
LAPSES_AT_ONCE = 100


async def add_task(work: Work, task: Task, packet: Packet) -> None:
    """Store a new task, then its packet, which refers to it."""
    work.session.add(task)
    await work.session.flush()
    work.session.add(packet)


def add(work: Work, thing: Checkpoint | Result) -> None:
    """Store what an attempt said."""
    work.session.add(thing)


async def find_task(work: Work, task_id: str, caller: Caller) -> Task:
    """The task, if the caller sees it (R1)."""
    return _seen(await work.session.get(Task, task_id), caller)


async def lock_task(work: Work, task_id: str, caller: Caller) -> Task:
    """The task, if the caller sees it, unchanged by others until the transaction ends (R5)."""
    query = select(Task).where(Task.task_id == task_id).with_for_update()
    return _seen((await work.session.exec(query)).one_or_none(), caller)


def _seen(task: Task | None, caller: Caller) -> Task:
    if task is None or not task.seen_by(caller):
        raise NotFound("There is no such task among those you see; call check_inbox to list them.", field="task_id")
    return task


async def held_attempt(work: Work, task: Task, attempt_id: str, caller: Caller) -> Attempt:
    """The caller's attempt at a locked task; one that ended is `stale_attempt` (R9)."""
    attempt = await work.session.get(Attempt, attempt_id)
    if attempt is None or attempt.task_id != task.task_id or attempt.agent_id != caller.subject:
        raise NotFound("Name the attempt that accept_task gave you for this task.", field="attempt_id")
    attempt.require_live()
    return attempt


async def lock_overdue_tasks(work: Work) -> Sequence[Task]:
    """Tasks whose live attempt is past its deadline, but those that another transaction has locked (R4)."""
    query = (
        select(Task)
        .join(Attempt, col(Attempt.attempt_id) == col(Task.attempt_id))
        .where(col(Attempt.ended_at).is_(None), col(Attempt.deadline) <= work.now)
        .order_by(col(Attempt.deadline))
        .limit(LAPSES_AT_ONCE)
        .with_for_update(of=Task, skip_locked=True)
    )
    return (await work.session.exec(query)).all()


async def packet_of(work: Work, task: Task) -> Packet:
    """The task's packet."""
    return await work.session.get_one(Packet, task.task_id)


async def reviewed_result(work: Work, task: Task, result_id: str | None) -> Result:
    """The result that a review means: the newest of the task unless it is named."""
    query = select(Result).where(Result.task_id == task.task_id).order_by(col(Result.version).desc()).limit(1)
    if result_id is not None:
        query = query.where(Result.result_id == result_id)
    result = (await work.session.exec(query)).one_or_none()
    if result is None:
        raise NotFound(
            "There is no such result of this task yet; call check_inbox with its task_id to see its results.",
            field="task_id" if result_id is None else "result_id",
        )
    return result


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
