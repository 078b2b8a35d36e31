"""Tasks, as persons see and decide them."""

from __future__ import annotations

from libs.contracts.base import Data, absent
from libs.contracts.tasks import AllowTask, CheckInbox, DecidedTask, Inbox, RefuseTask, Text2000
from libs.contracts.types import Id
from services.gateway.people.endpoint import endpoint
from services.gateway.session import Session
from services.gateway.tools.tasks import check_inbox


class Refusal(Data):
    """A task that is refused, and why."""

    task_id: Id
    reason: Text2000 | None = absent("Why, for the requester.")


@endpoint("GET", "/tasks", CheckInbox)
async def list_tasks(asked: CheckInbox, session: Session) -> Inbox:
    """The caller's tasks and what awaits them; `role=owner&states=awaiting_owner` for those that await an allowance."""
    return Inbox.model_validate(await check_inbox(asked, session))


@endpoint("POST", "/tasks/{task_id}/allow", AllowTask)
async def allow_task(command: AllowTask, session: Session) -> DecidedTask:
    """Allow a task from outside to an agent of the caller (R2)."""
    return await session.ask(command)


@endpoint("POST", "/tasks/{task_id}/refuse", Refusal)
async def refuse_task(refused: Refusal, session: Session) -> DecidedTask:
    """Refuse it: the task is declined (R2)."""
    return await session.ask(RefuseTask(task_id=refused.task_id, reason=refused.reason))
