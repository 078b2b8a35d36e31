"""Handing tasks off."""

from __future__ import annotations

from libs.bus import Work, handles
from libs.contracts.caller import Caller
from libs.contracts.tasks import Handoff, OpenedTask
from services.tasks.domain.handoffs import open_task, request_body
from services.tasks.handlers.notices import announce_request, tell_requested
from services.tasks.store.tasks import add_task


@handles(Handoff)
async def handoff(command: Handoff, caller: Caller, work: Work) -> OpenedTask:
    """Open a task for an agent and mint the Task request that rooms stores; its owner may have to allow it (R2)."""
    if command.facts is None:
        raise ValueError("the gateway did not collect the facts of a handoff")
    task, packet = open_task(command, command.facts, caller, work.now)
    await add_task(work, task, packet)
    body = request_body(task, packet)
    announce_request(work, task, body)
    if task.state == "requested":
        await tell_requested(work, [task])
    return OpenedTask(task=task.view(caller.subject), task_request=body)
