"""Accepting and rejecting results."""

from __future__ import annotations

from libs.bus import Work, handles
from libs.contracts.caller import Caller
from libs.contracts.tasks import AcceptResult, RejectResult, ReturnedResult
from services.tasks.domain import Result, Task, Verdict
from services.tasks.handlers.notices import tell, tell_requested
from services.tasks.store.results import reviewed_result
from services.tasks.store.tasks import lock_task


@handles(AcceptResult)
async def accept_result(command: AcceptResult, caller: Caller, work: Work) -> ReturnedResult:
    """Accept a returned result: the task is done (R16)."""
    return await _review(command, "accepted", command.note, caller, work)


@handles(RejectResult)
async def reject_result(command: RejectResult, caller: Caller, work: Work) -> ReturnedResult:
    """Reject a returned result: the task is requested of the same agent again (R6, R16)."""
    return await _review(command, "rejected", command.reason, caller, work)


async def _review(
    command: AcceptResult | RejectResult, verdict: Verdict, note: str | None, caller: Caller, work: Work
) -> ReturnedResult:
    task = await lock_task(work, command.task_id, caller)
    result = await reviewed_result(work, task, command.result_id)
    if task.review(result, verdict, caller, note, work.now):
        await _tell_of_review(work, task, result, caller)
    return ReturnedResult(task=task.view(caller.subject), result=result.view(caller.subject))


async def _tell_of_review(work: Work, task: Task, result: Result, caller: Caller) -> None:
    tell(work, task.assignee, "result_reviewed", task, result=result.view(task.assignee))
    if task.state == "requested":
        await tell_requested(work, [task])
    if caller.subject != task.requester:
        tell(work, task.requester, "task_updated", task)
