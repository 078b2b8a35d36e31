"""Cancelling tasks."""

from __future__ import annotations

from libs.bus import Work, handles
from libs.contracts.caller import Caller
from libs.contracts.tasks import CancelledTask, CancelTask
from services.tasks.handlers.notices import tell, tell_cancelled
from services.tasks.store.requests import close_requests
from services.tasks.store.tasks import lock_task


@handles(CancelTask)
async def cancel_task(command: CancelTask, caller: Caller, work: Work) -> CancelledTask:
    """End a task and its attempt in one transaction (R8)."""
    task = await lock_task(work, command.task_id, caller)
    was_held = task.state == "awaiting_owner"
    attempt = task.cancel(caller, command.reason, work.now)
    await close_requests(work, task)
    if not was_held:
        tell_cancelled(work, task, attempt)
    if caller.subject != task.requester:
        tell(work, task.requester, "task_updated", task)
    return CancelledTask(task=task.view(caller.subject))
