"""Attempts, which their tasks' rows lock."""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import col, func, select

from libs.bus import Work
from libs.contracts.caller import Caller
from libs.contracts.errors import Forbidden, InvalidInput, NotFound
from services.tasks.domain import Attempt, Task


async def held_attempt(work: Work, task: Task, attempt_id: str | None, caller: Caller) -> Attempt:
    """The caller's attempt at a locked task; one that ended is `stale_attempt` (R9)."""
    attempt = await work.session.get(Attempt, _named_attempt(task, attempt_id, caller))
    if attempt is None or attempt.task_id != task.task_id or attempt.agent_id != caller.subject:
        raise NotFound("Name the attempt that accept_task gave you for this task.", field="attempt_id")
    if attempt.kind == "run" and caller.run is None:
        raise Forbidden("Leave this attempt to its run, which has a credential of its own.", field="attempt_id")
    attempt.require_live(work.now)
    return attempt


def _named_attempt(task: Task, attempt_id: str | None, caller: Caller) -> str:
    """All name the attempt they hold, but for a run, which has only one and may leave it out."""
    if caller.run is not None and caller.run.task_id != task.task_id:
        raise NotFound("Name the task of this run: its credential is for no other.", field="task_id")
    own = caller.run.attempt_id if caller.run is not None else None
    if own is not None and attempt_id not in (None, own):
        raise InvalidInput("Leave attempt_id out, or repeat the one of this run.", field="attempt_id")
    named = attempt_id or own
    if named is None:
        raise InvalidInput("Name the attempt that accept_task gave you for this task.", field="attempt_id")
    return named


async def claim_under(work: Work, device_id: str, key: str) -> Attempt | None:
    """The attempt that a device claimed with this key."""
    query = select(Attempt).where(Attempt.device_id == device_id, Attempt.idempotency_key == key)
    return (await work.session.exec(query)).one_or_none()


async def count_runs(work: Work, device_id: str) -> int:
    """How many live runs a locked device has (R12)."""
    query = select(func.count()).where(Attempt.device_id == device_id, col(Attempt.ended_at).is_(None))
    return (await work.session.exec(query)).one()


async def run_behind(work: Work, token_sha256: str) -> tuple[Attempt, str] | None:
    """The attempt that a run's token is for, and its project."""
    query = select(Attempt, Task.project).join(Task, col(Task.task_id) == col(Attempt.task_id))
    return (await work.session.exec(query.where(Attempt.token_sha256 == token_sha256))).one_or_none()


async def attempts_at(work: Work, task_id: str) -> Sequence[Attempt]:
    """Every attempt at a task."""
    return (await work.session.exec(select(Attempt).where(Attempt.task_id == task_id))).all()


async def cause_of(work: Work, task: Task) -> str | None:
    """The Task request that caused the task's newest run (R11)."""
    runs = select(Attempt.cause).where(Attempt.task_id == task.task_id, Attempt.kind == "run")
    newest = runs.order_by(col(Attempt.started_at).desc(), col(Attempt.attempt_id).desc()).limit(1)
    return (await work.session.exec(newest)).one_or_none()
