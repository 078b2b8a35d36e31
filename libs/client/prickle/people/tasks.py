"""Tasks, as persons see and decide them."""

from __future__ import annotations

from typing import Any

from prickle.people.line import Line
from prickle.views import Handoff, Reviewed, Task, TaskPage


class TasksApi(Line):
    """Tasks handed off, allowed, cancelled and reviewed."""

    async def list_tasks(
        self,
        *,
        role: str | None = None,
        states: list[str] | None = None,
        task_id: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> TaskPage:
        """A page of the caller's tasks; with `task_id` that one whole. Pass `next_cursor` on for the next page."""
        asked = {"role": role, "states": states, "task_id": task_id, "cursor": cursor, "limit": limit}
        page: TaskPage = await self._send("GET", "tasks", **asked)
        return page

    async def list_waiting_tasks(self) -> list[Task]:
        """The tasks from outside that await the calling person's word."""
        tasks: list[Task] = (await self._send("GET", "tasks", "waiting"))["tasks"]
        return tasks

    async def allow_task(self, task_id: str) -> Task:
        """Allow a task from outside to one of the caller's agents."""
        task: Task = (await self._send("POST", "tasks", task_id, "allow"))["task"]
        return task

    async def refuse_task(self, task_id: str, *, reason: str | None = None) -> Task:
        """Refuse it: the task is declined."""
        task: Task = (await self._send("POST", "tasks", task_id, "refuse", reason=reason))["task"]
        return task

    async def get_task(self, task_id: str) -> Task:
        """A task whole, with its packet, checkpoints and results."""
        task: Task = await self._send("GET", "tasks", task_id)
        return task

    async def hand_off(
        self, project: str, to: str, title: str, objective: str, acceptance: list[str], **rest: Any
    ) -> Handoff:
        """Hand a task to an agent; `rest` may have `evidence`, `context`, `due_at` and `idempotency_key`."""
        said = {"title": title, "objective": objective, "acceptance": acceptance}
        handed_off: Handoff = await self._send("POST", "tasks", project=project, to=to, **said, **rest)
        return handed_off

    async def cancel_task(self, task_id: str, reason: str) -> Task:
        """End a task that is not final."""
        task: Task = (await self._send("POST", "tasks", task_id, "cancel", reason=reason))["task"]
        return task

    async def accept_result(self, task_id: str, *, result_id: str | None = None, note: str | None = None) -> Reviewed:
        """Accept a result, the newest by default: the task is done."""
        reviewed: Reviewed = await self._send("POST", "tasks", task_id, "accept", result_id=result_id, note=note)
        return reviewed

    async def reject_result(self, task_id: str, reason: str, *, result_id: str | None = None) -> Reviewed:
        """Reject a result, the newest by default: the task is requested again."""
        reviewed: Reviewed = await self._send("POST", "tasks", task_id, "reject", result_id=result_id, reason=reason)
        return reviewed
