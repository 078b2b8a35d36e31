"""What others learn of a change: entries for their mailboxes and events for other services."""

from __future__ import annotations

from libs.bus import Work
from libs.contracts.base import View
from libs.contracts.tasks import AttemptEnded, AttemptStarted
from libs.contracts.types import is_agent
from services.tasks.domain import Attempt, Task


def tell(work: Work, recipient: str, kind: str, task: Task, **others: View) -> None:
    """Put the task, as the recipient may see it, into its mailbox."""
    tell_only(work, recipient, kind, task, task=task.view(recipient), **others)


def tell_only(work: Work, recipient: str, kind: str, about: Task, **objects: View) -> None:
    """Put objects of a task into the recipient's mailbox; persons have none."""
    if is_agent(recipient):
        work.deliver(recipient, kind, about.project, {name: view.wire() for name, view in objects.items()})


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
