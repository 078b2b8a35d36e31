"""Handing tasks off."""

from __future__ import annotations

from libs.bus import Work, handles
from libs.contracts.caller import Caller
from libs.contracts.tasks import Handoff, OpenedTask, TaskRequested
from services.tasks import store
from services.tasks.domain.handoffs import open_task, task_request
from services.tasks.handlers.notices import tell


@handles(Handoff)
async def handoff(command: Handoff, caller: Caller, work: Work) -> OpenedTask:
    """Open a task for an agent and mint the Task request that rooms stores (R2)."""
    if command.facts is None:
        raise ValueError("the gateway did not collect the facts of a handoff")
    task, packet = open_task(command, command.facts, caller, work.now)
    await store.add_task(work, task, packet)
    body = task_request(command)
    work.announce(
        TaskRequested(
            project=task.project,
            message_id=task.message_id,
            task_id=task.task_id,
            requester=task.requester,
            assignee=task.assignee,
            body=body,
        )
    )
    tell(work, task.assignee, "task_requested", task)
    return OpenedTask(task=task.view(caller.subject), task_request=body)
