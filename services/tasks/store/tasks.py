"""Tasks and their packets, locked to be changed."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlmodel import col, or_, select
from sqlmodel.sql.expression import SelectOfScalar

from libs.bus import Work
from libs.contracts.caller import Caller
from libs.contracts.errors import NotFound
from services.tasks.domain import OPEN, UNTAKEN, Attempt, Checkpoint, Packet, Result, Task

AT_ONCE = 100
"""Tasks that a timer changes in one transaction."""


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
    return _seen(await any_task(work, task_id), caller)


async def any_task(work: Work, task_id: str) -> Task | None:
    """The task, whoever asks."""
    return await work.session.get(Task, task_id)


async def packet_of(work: Work, task: Task) -> Packet:
    """The task's packet."""
    return await work.session.get_one(Packet, task.task_id)


async def lock_task(work: Work, task_id: str, caller: Caller) -> Task:
    """The task, if the caller sees it, unchanged by others until the transaction ends (R5)."""
    return _seen(await lock_any_task(work, task_id), caller)


async def lock_any_task(work: Work, task_id: str) -> Task | None:
    """The same, whoever asks."""
    return (await work.session.exec(_locked(select(Task).where(Task.task_id == task_id)))).one_or_none()


async def lock_open_tasks_of(work: Work, agents: Collection[str]) -> Sequence[Task]:
    """The tasks that agents were asked for and have not returned."""
    query = select(Task).where(col(Task.assignee).in_(agents), col(Task.state).in_(OPEN - {"returned"}))
    return (await work.session.exec(_locked(query))).all()


async def lock_tasks_run_by(work: Work, device_id: str) -> Sequence[Task]:
    """The tasks that a device's live runs hold."""
    query = select(Task).join(Attempt, col(Attempt.attempt_id) == col(Task.attempt_id))
    live = query.where(Attempt.device_id == device_id, col(Attempt.ended_at).is_(None))
    return (await work.session.exec(_locked(live))).all()


async def lock_overdue_tasks(work: Work) -> Sequence[Task]:
    """Tasks whose live attempt is past its deadline, but those that another transaction has locked (R4).

    While a task waits, only a run's launch timeout counts (R3).
    """
    query = (
        select(Task)
        .join(Attempt, col(Attempt.attempt_id) == col(Task.attempt_id))
        .where(col(Attempt.ended_at).is_(None), col(Attempt.deadline) <= work.now)
        .where(or_(Task.state != "waiting", col(Attempt.expires_at) <= work.now))
        .order_by(col(Attempt.deadline))
        .limit(AT_ONCE)
        .with_for_update(of=Task, skip_locked=True)
    )
    return (await work.session.exec(query)).all()


async def lock_due_tasks(work: Work) -> Sequence[Task]:
    """Tasks that were due before anybody took them, but those that another transaction has locked (R13)."""
    query = (
        select(Task)
        .where(col(Task.state).in_(UNTAKEN), col(Task.due_at) <= work.now)
        .order_by(col(Task.due_at))
        .limit(AT_ONCE)
        .with_for_update(skip_locked=True)
    )
    return (await work.session.exec(query)).all()


def _locked(query: SelectOfScalar[Task]) -> SelectOfScalar[Task]:
    """Locked one after the other, and read anew with their attempts: what was read before may have changed since."""
    in_order = query.order_by(Task.task_id).with_for_update(of=Task)
    return in_order.execution_options(populate_existing=True)


def _seen(task: Task | None, caller: Caller) -> Task:
    if task is None or not task.seen_by(caller):
        raise NotFound("Name a task that you see; your inbox lists them.", field="task_id")
    return task
