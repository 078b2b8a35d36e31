"""Allowing and refusing tasks from outside."""

from __future__ import annotations

from libs.bus import Work, handles
from libs.contracts.caller import Caller
from libs.contracts.tasks import AllowTask, DecidedTask, RefuseTask
from services.tasks.domain import Decision, Task
from services.tasks.domain.handoffs import request_body
from services.tasks.handlers.notices import announce_allowed, tell, tell_requested
from services.tasks.store.tasks import lock_task, packet_of


@handles(AllowTask)
async def allow_task(command: AllowTask, caller: Caller, work: Work) -> DecidedTask:
    """Let an agent of the calling person be asked for a task from outside (R2)."""
    return await _decide(await lock_task(work, command.task_id, caller), "allowed", None, caller, work)


@handles(RefuseTask)
async def refuse_task(command: RefuseTask, caller: Caller, work: Work) -> DecidedTask:
    """Decline it for the agent (R2)."""
    return await _decide(await lock_task(work, command.task_id, caller), "refused", command.reason, caller, work)


async def _decide(task: Task, decision: Decision, note: str | None, caller: Caller, work: Work) -> DecidedTask:
    was_awaited = task.state == "awaiting_owner"
    if task.decide(decision, caller, note, work.now) and was_awaited:
        tell(work, task.requester, "task_updated", task)
        if task.state == "requested":
            announce_allowed(work, task, request_body(task, await packet_of(work, task)))
            await tell_requested(work, [task])
    return DecidedTask(task=task.view(caller.subject))
