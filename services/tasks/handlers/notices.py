"""What others learn of a change: entries for their mailboxes and events for other services."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from libs.bus import Work
from libs.contracts.base import View
from libs.contracts.tasks import (
    AttemptEnded,
    AttemptStarted,
    MemoryProposal,
    MemoryProposed,
    TaskAllowed,
    TaskRequested,
)
from libs.contracts.types import is_agent
from services.tasks.domain import Attempt, Request, Result, Task
from services.tasks.store.devices import devices_told_of
from services.tasks.store.requests import close_requests


def tell(work: Work, recipient: str, kind: str, task: Task, **others: View) -> None:
    """Put the task, as the recipient may see it, into its mailbox."""
    tell_only(work, recipient, kind, task, task=task.view(recipient), **others)


def tell_only(work: Work, recipient: str, kind: str, about: Task, **objects: View) -> None:
    """Put objects of a task into the recipient's mailbox; persons have none."""
    if is_agent(recipient):
        work.deliver(recipient, kind, about.project, {name: view.wire() for name, view in objects.items()})


def tell_request(work: Work, recipient: str, kind: str, request: Request) -> None:
    """Put a request into the mailbox of the agent that must answer it, or that asked."""
    if is_agent(recipient):
        work.deliver(recipient, kind, request.project, {"request": request.view().wire()})


def tell_device(work: Work, device_id: str, kind: str, task: Task) -> None:
    """Put a task of one of its agents into a device's mailbox (R19)."""
    body: dict[str, Any] = {"task": task.view(device_id).wire(), "agent_id": task.assignee}
    work.deliver(device_id, kind, task.project, body)


async def tell_requested(work: Work, tasks: Sequence[Task]) -> None:
    """Let the assignees of requested tasks know, and the devices that run them."""
    devices = await devices_told_of(work, tasks) if tasks else []
    for task in tasks:
        tell(work, task.assignee, "task_requested", task)
        for device in devices:
            if device.links.cover(task):
                tell_device(work, device.device_id, "task_requested", task)


async def tell_given_back(work: Work, ended: Sequence[tuple[Task, Attempt]]) -> None:
    """Let everybody know of attempts that ended without a result: their tasks are requested again, or failed (R4)."""
    for task, attempt in ended:
        announce_end(work, task, attempt)
        tell(work, task.requester, "task_updated", task)
        if task.state == "failed":
            tell(work, task.assignee, "task_updated", task)
    await close_requests(work, *(task for task, _ in ended if task.state == "failed"))
    await tell_requested(work, [task for task, _ in ended if task.state == "requested"])


def tell_cancelled(work: Work, task: Task, attempt: Attempt | None) -> None:
    """Let the holder of a cancelled task and its device know, or the assignee that has not taken it (R8)."""
    if attempt is None:
        tell(work, task.assignee, "task_updated", task)
        return
    announce_end(work, task, attempt)
    tell(work, attempt.agent_id, "cancel_requested", task)
    if attempt.device_id is not None:
        tell_device(work, attempt.device_id, "cancel_requested", task)


def announce_request(work: Work, task: Task, body: str) -> None:
    """Let rooms store the Task request, and tell the assignee of it unless its owner must decide first (R2)."""
    work.announce(TaskRequested(**_request(task, body), held=task.state == "awaiting_owner"))


def announce_allowed(work: Work, task: Task, body: str) -> None:
    """Let rooms tell the assignee of a Task request that was held back (R2)."""
    work.announce(TaskAllowed(**_request(task, body)))


def _request(task: Task, body: str) -> dict[str, str]:
    return {
        "project": task.project,
        "message_id": task.message_id,
        "task_id": task.task_id,
        "requester": task.requester,
        "assignee": task.assignee,
        "body": body,
    }


def announce_start(work: Work, task: Task, attempt: Attempt) -> None:
    """Let the other services know that an agent holds the task now."""
    work.announce(
        AttemptStarted(
            project=task.project,
            task_id=task.task_id,
            attempt_id=attempt.attempt_id,
            agent_id=attempt.agent_id,
            kind=attempt.kind,
            started_at=attempt.started_at,
            version=task.version,
        )
    )


def announce_end(work: Work, task: Task, attempt: Attempt) -> None:
    """Let the other services know that the agent holds the task no longer."""
    work.announce(
        AttemptEnded(
            project=task.project,
            task_id=task.task_id,
            attempt_id=attempt.attempt_id,
            agent_id=attempt.agent_id,
            version=task.version,
        )
    )


def announce_proposals(work: Work, task: Task, result: Result) -> None:
    """Let rooms know what a result proposes for the project's memory (R17)."""
    if result.memory_proposals:
        work.announce(
            MemoryProposed(
                project=task.project,
                task_id=task.task_id,
                result_id=result.result_id,
                agent_id=result.agent_id,
                proposals=[MemoryProposal.model_validate(proposal) for proposal in result.memory_proposals],
            )
        )
