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
from services.tasks.domain.directives import directives
from services.tasks.domain.inputs import refuse_large_input, size
from services.tasks.domain.results import check_proposals
from services.tasks.domain.whole import ANSWER_BYTES, Room
from services.tasks.handlers.notices import announce_end, announce_proposals, announce_start, tell, tell_only
from services.tasks.store.attempts import held_attempt
from services.tasks.store.requests import close_requests, decisions_for
from services.tasks.store.tasks import add, lock_task, packet_of


@handles(AcceptTask)
async def accept_task(command: AcceptTask, caller: Caller, work: Work) -> AcceptedTask:
    """Make the caller's attempt the one that holds a requested task, or decline the task (R5)."""
    task = await lock_task(work, command.task_id, caller)
    attempt = None
    if command.decline_reason is not None:
        task.decline(caller, command.decline_reason, work.now)
        await close_requests(work, task)
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
    made, shown = checkpoint.view(), task.view(caller.subject)
    tell_only(work, task.requester, "checkpoint", task, checkpoint=made)
    decided = await decisions_for(work, task, attempt)
    wanted = directives(task, attempt, decided, Room(ANSWER_BYTES - size(made) - size(shown)), work.now)
    return MadeCheckpoint(checkpoint=made, task=shown, directives=wanted)


@handles(ReturnResult)
async def return_result(command: ReturnResult, caller: Caller, work: Work) -> ReturnedResult:
    """End the caller's attempt with a result and its evidence; what it asked needs no answer now (R7, R9, R15)."""
    refuse_large_input(command)
    check_proposals(command)
    task = await lock_task(work, command.task_id, caller)
    attempt = await held_attempt(work, task, command.attempt_id, caller)
    (await packet_of(work, task)).check(command.evidence, command.outcome)
    result = task.finish(attempt, command, work.now)
    add(work, result)
    await close_requests(work, task)
    announce_end(work, task, attempt)
    announce_proposals(work, task, result)
    tell(work, task.requester, "result_returned", task, result=result.view(task.requester))
    return ReturnedResult(task=task.view(caller.subject), result=result.view(caller.subject))
