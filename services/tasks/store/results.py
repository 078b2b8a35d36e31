"""Results, as reviews name them."""

from __future__ import annotations

from sqlmodel import col, select

from libs.bus import Work
from libs.contracts.errors import NotFound
from services.tasks.domain import Result, Task


async def reviewed_result(work: Work, task: Task, result_id: str | None) -> Result:
    """The result that a review means: the newest of the task unless it is named."""
    query = select(Result).where(Result.task_id == task.task_id).order_by(col(Result.version).desc()).limit(1)
    if result_id is not None:
        query = query.where(Result.result_id == result_id)
    result = (await work.session.exec(query)).one_or_none()
    if result is None:
        raise NotFound(
            "There is no such result of this task yet; call check_inbox with its task_id to see its results.",
            field="task_id" if result_id is None else "result_id",
        )
    return result
