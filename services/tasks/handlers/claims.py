"""Claiming tasks for runs."""

from __future__ import annotations

from libs.bus import Work, handles
from libs.contracts.caller import Caller
from libs.contracts.tasks import ClaimedTask, ClaimTask
from services.tasks.domain.claims import claim, claimable, claimed, repeat_claim
from services.tasks.handlers.notices import announce_start, tell
from services.tasks.store.attempts import claim_under, count_runs
from services.tasks.store.devices import lock_device
from services.tasks.store.tasks import lock_any_task


@handles(ClaimTask)
async def claim_task(command: ClaimTask, caller: Caller, work: Work) -> ClaimedTask:
    """Make a device's run the attempt that holds a requested task, or repeat its claim with a fresh token (R5, R10)."""
    device = command.device
    if device is None:
        raise ValueError("the gateway did not collect the facts of a claim")
    await lock_device(work, device.device_id, device.owner)
    task = claimable(await lock_any_task(work, command.task_id), device)
    attempt = await claim_under(work, device.device_id, command.idempotency_key)
    if attempt is not None:
        repeat_claim(attempt, command, work.now)
        return claimed(attempt, task)
    running = await count_runs(work, device.device_id)
    attempt = claim(task, command, device, running, work.now, work.policy)
    announce_start(work, task, attempt)
    tell(work, task.requester, "task_updated", task)
    return claimed(attempt, task)
