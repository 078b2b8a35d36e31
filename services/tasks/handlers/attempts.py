"""Taking tasks, working on them and returning results."""

from __future__ import annotations

from libs.bus import Work, handles
from libs.contracts.caller import Caller
from libs.contracts.tasks import (
    AcceptedTask,
    AcceptTask,
    MadeCheckpoint,
    MakeCheckpoint,
    ReturnedResult,
    ReturnResult,
)
from services.tasks.domain.inputs import refuse_large_input
from services.tasks.handlers.notices import announce_end, announce_start, tell, tell_only
from services.tasks.store.attempts import held_attempt
from services.tasks.store.tasks import add, lock_task, packet_of


@handles(AcceptTask)
async def accept_task(command: AcceptTask, caller: Caller, work: Work) -> AcceptedTask:
    """Make the caller's attempt the one that holds a requested task, or decline the task (R5)."""
    task = await lock_task(work, command.task_id, caller)
    attempt = None
    if command.decline_reason is not None:
        task.decline(caller, command.decline_reason, work.now)
    else:
        attempt = task.take(caller, command.note, work.now, work.policy)
        announce_start(work, task, attempt)
    tell(work, task.requester, "task_updated", task)
    return AcceptedTask(task=task.view(caller.subject), attempt=None if attempt is None else attempt.view())


@handles(MakeCheckpoint)
async def make_checkpoint(command: MakeCheckpoint, caller: Caller, work: Work) -> MadeCheckpoint:
    """Renew the caller's attempt and keep how far it is (R3, R9)."""
    refuse_large_input(command)
    task = await lock_task(work, command.task_id, caller)
    attempt = await held_attempt(work, task, command.attempt_id, caller)
    checkpoint = task.advance(attempt, command, work.now, work.policy)
    add(work, checkpoint)
    tell_only(work, task.requester, "checkpoint", task, checkpoint=checkpoint.view())
    return MadeCheckpoint(
        checkpoint=checkpoint.view(), task=task.view(caller.subject), directives=task.directives(work.now)
    )


@handles(ReturnResult)
async def return_result(command: ReturnResult, caller: Caller, work: Work) -> ReturnedResult:
    """End the caller's attempt with a result and its evidence (R9, R15)."""
    refuse_large_input(command)
    task = await lock_task(work, command.task_id, caller)
    attempt = await held_attempt(work, task, command.attempt_id, caller)
    (await packet_of(work, task)).check(command.evidence, command.outcome)
    result = task.finish(attempt, command, work.now)
    add(work, result)
    announce_end(work, task, attempt)
    tell(work, task.requester, "result_returned", task, result=result.view(task.requester))
    return ReturnedResult(task=task.view(caller.subject), result=result.view(caller.subject))
