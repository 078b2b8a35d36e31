"""Claims: which task a device may claim for a run, and what it gets (R10-R12)."""

from __future__ import annotations

from datetime import datetime

from libs.contracts.errors import CrossOwnerOff, IdempotencyConflict, LimitExceeded, NotFound, RoomNotLinked
from libs.contracts.policy import Policy
from libs.contracts.tasks import ClaimedTask, ClaimTask, DeviceFacts
from services.tasks.domain.attempts import Attempt
from services.tasks.domain.tasks import Task

OTHER_CLAIM = "This idempotency_key belongs to a claim with other arguments; use a new key."


def claimable(task: Task | None, device: DeviceFacts) -> Task:
    """The task, if it is one of the device's: of a linked agent, in a linked project (R12)."""
    if task is None or task.assignee not in device.agents:
        raise NotFound(
            "Claim a task of an agent that is linked to this device; wait_for_updates tells of them.", field="task_id"
        )
    if task.project not in device.projects:
        raise RoomNotLinked("Ask this device's owner to link it to the task's project.", field="task_id")
    return task


def claim(task: Task, said: ClaimTask, device: DeviceFacts, running: int, now: datetime, policy: Policy) -> Attempt:
    """Let a device that runs `running` tasks hold this one too (R5, R12)."""
    if device.agents[task.assignee] == "owner" and task.is_from_outside and task.decision != "allowed":
        raise CrossOwnerOff(
            "Ask the agent's owner to allow this task, or to let the agent take tasks from the team.", field="task_id"
        )
    if running >= device.slots:
        raise LimitExceeded("Wait until a run of this device ends, or ask its owner to give it more slots.")
    return task.claim(said, device.device_id, now, policy)


def repeat_claim(attempt: Attempt, said: ClaimTask, now: datetime) -> None:
    """Give a claim that is repeated another token; the former one is dead with it (R10)."""
    if attempt.task_id != said.task_id or (said.wake is not None and said.wake.message_id != attempt.cause):
        raise IdempotencyConflict(OTHER_CLAIM, field="idempotency_key")
    attempt.require_live(now)
    attempt.token_sha256 = said.token_sha256


def claimed(attempt: Attempt, task: Task) -> ClaimedTask:
    """The claim as the gateway shows it, with the token that it made."""
    return ClaimedTask.model_validate(
        {
            "attempt_id": attempt.attempt_id,
            "task_id": task.task_id,
            "project": task.project,
            "agent_id": attempt.agent_id,
            "claimed_at": attempt.started_at,
            "expires_at": attempt.expires_at,
        }
    )
