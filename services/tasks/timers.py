"""What happens to tasks without a message."""

from __future__ import annotations

from libs.bus import Work, every
from services.tasks import store
from services.tasks.domain import Attempt, Task
from services.tasks.handlers.notices import announce_end, tell


@every(1.0)
async def lapse_attempts(work: Work) -> None:
    """End the attempts that nobody renewed in time; their tasks are requested again, or fail (R4)."""
    for task in await store.lock_overdue_tasks(work):
        attempt = task.lapse(work.now, work.policy)
        if attempt is not None:
            _tell_of_lapse(work, task, attempt)


def _tell_of_lapse(work: Work, task: Task, attempt: Attempt) -> None:
    announce_end(work, task, attempt)
    tell(work, task.requester, "task_updated", task)
    tell(work, task.assignee, "task_updated" if task.state == "failed" else "task_requested", task)
