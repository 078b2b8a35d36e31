"""Tasks, as persons see and decide them."""

from __future__ import annotations

from libs.contracts.base import Data, absent
from libs.contracts.tasks import (
    AcceptResult,
    AllowTask,
    CancelledTask,
    CancelTask,
    CheckInbox,
    DecidedTask,
    HandedOff,
    Handoff,
    Inbox,
    ReadInbox,
    RefuseTask,
    RejectResult,
    ReturnedResult,
    Text2000,
    WholeTask,
)
from libs.contracts.types import Id
from services.gateway.people.endpoint import endpoint
from services.gateway.session import Session
from services.gateway.tools.tasks import check_inbox
from services.gateway.tools.tasks import handoff as hand_off


class AskedTask(Data):
    """Which task is wanted."""

    task_id: Id


class Refusal(Data):
    """A task that is refused, and why."""

    task_id: Id
    reason: Text2000 | None = absent("Why, for the requester.")


@endpoint("POST", "/tasks", Handoff, status=201)
async def handoff(command: Handoff, session: Session) -> HandedOff:
    """Hand a task to an agent, as a person who is in the project."""
    return await hand_off(command, session)


@endpoint("GET", "/tasks", CheckInbox)
async def list_tasks(asked: CheckInbox, session: Session) -> Inbox:
    """The caller's tasks, with `role=owner` those of the caller's agents, and the results to review."""
    return Inbox.model_validate(await check_inbox(asked, session))


@endpoint("GET", "/tasks/{task_id}", AskedTask)
async def get_task(asked: AskedTask, session: Session) -> WholeTask:
    """A task whole, with its packet, checkpoints and results, newest first."""
    (task,) = (await session.ask(ReadInbox(task_id=asked.task_id))).tasks
    return task


@endpoint("POST", "/tasks/{task_id}/allow", AllowTask)
async def allow_task(command: AllowTask, session: Session) -> DecidedTask:
    """Allow a task from outside to an agent of the caller (R2)."""
    return await session.ask(command)


@endpoint("POST", "/tasks/{task_id}/refuse", Refusal)
async def refuse_task(refused: Refusal, session: Session) -> DecidedTask:
    """Refuse it: the task is declined (R2)."""
    return await session.ask(RefuseTask(task_id=refused.task_id, reason=refused.reason))


@endpoint("POST", "/tasks/{task_id}/cancel", CancelTask)
async def cancel_task(command: CancelTask, session: Session) -> CancelledTask:
    """End a task that is not final, and its attempt with it (R8)."""
    return await session.ask(command)


@endpoint("POST", "/tasks/{task_id}/accept", AcceptResult)
async def accept_result(command: AcceptResult, session: Session) -> ReturnedResult:
    """Accept a returned result: the task is done (R16)."""
    return await session.ask(command)


@endpoint("POST", "/tasks/{task_id}/reject", RejectResult)
async def reject_result(command: RejectResult, session: Session) -> ReturnedResult:
    """Reject a returned result: the task is requested again (R6, R16)."""
    return await session.ask(command)
