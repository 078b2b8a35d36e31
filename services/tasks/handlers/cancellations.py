"""Cancelling tasks."""

from __future__ import annotations

from libs.bus import Work, handles
from libs.contracts.caller import Caller
from libs.contracts.tasks import CancelledTask, CancelTask
from services.tasks import store
from services.tasks.handlers.notices import announce_end, tell


@handles(CancelTask)
async def cancel_task(command: CancelTask, caller: Caller, work: Work) -> CancelledTask:
    """End a task and its attempt in one transaction (R8)."""
    task = await store.lock_task(work, command.task_id, caller)
    attempt = task.cancel(caller, command.reason, work.now)
    if attempt is not None:
        announce_end(work, task, attempt)
        tell(work, attempt.agent_id, "cancel_requested", task)
    else:
        tell(work, task.assignee, "task_updated", task)
    if caller.subject != task.requester:
        tell(work, task.requester, "task_updated", task)
    return CancelledTask(task=task.view(caller.subject))
