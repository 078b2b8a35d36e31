"""What happens to tasks without a message."""

from __future__ import annotations

from libs.bus import Work, every
from services.tasks.handlers.notices import tell, tell_given_back
from services.tasks.store.requests import close_requests
from services.tasks.store.tasks import lock_due_tasks, lock_overdue_tasks


@every(1.0)
async def lapse_attempts(work: Work) -> None:
    """End the attempts that nobody renewed in time; their tasks are requested again, or fail (R4)."""
    lapses = [(task, task.lapse(work.now, work.policy)) for task in await lock_overdue_tasks(work)]
    await tell_given_back(work, [(task, attempt) for task, attempt in lapses if attempt is not None])


@every(1.0)
async def expire_tasks(work: Work) -> None:
    """End the tasks that were due before anybody took them; an assignee that was asked learns it (R13)."""
    tasks = await lock_due_tasks(work)
    await close_requests(work, *tasks)
    for task in tasks:
        was_asked = task.state == "requested"
        task.expire(work.now)
        tell(work, task.requester, "task_updated", task)
        if was_asked:
            tell(work, task.assignee, "task_updated", task)
