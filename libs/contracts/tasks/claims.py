"""Runs of tasks: a runner claims one, and its run has a credential of its own (R10-R12)."""

from __future__ import annotations

from pydantic import Field

from libs.contracts.base import Command, Data, Query, View, internal
from libs.contracts.caller import Caller
from libs.contracts.tasks.tasks import Task
from libs.contracts.types import AgentAddress, Id, IdempotencyKey, Slug, TakesTasksFrom, Time


class DeviceFacts(Data):
    """What the directory knows of a device, collected by the gateway at the claim."""

    device_id: Id
    owner: Slug
    slots: int
    agents: dict[AgentAddress, TakesTasksFrom]
    """The agents linked to it, and from whom each takes tasks."""
    projects: list[Slug]
    """The projects linked to it."""
    version: int
    """Rises with each change of the device."""


class Wake(Data):
    """The message that a runner believes to be the run's cause."""

    message_id: Id


class ClaimedTask(View):
    """A claim without its secret: the gateway, which made the token, adds it."""

    attempt_id: Id
    task_id: Id
    project: Slug
    agent_id: AgentAddress
    claimed_at: Time
    expires_at: Time
    """The launch timeout."""


class ExecutionCredential(View):
    """What one run calls the hub with; its schema is the reference's."""

    token: str
    expires_at: Time
    allowed_tools: list[str]


class ClaimTask(Command[ClaimedTask], service="tasks"):
    """Make a device's run the one attempt of a requested task.

    `NotFound` where its assignee is not linked to the device, `RoomNotLinked` where its project is not,
    `CrossOwnerOff` where it comes from outside and nobody allowed it, `LimitExceeded` beyond the device's slots,
    `Conflict` where it is not requested, `StaleAttempt` where the replayed claim has ended.

    The same `idempotency_key` of the same device replays the claim with another token, so it is no key of the bus:
    the handler looks for the attempt itself. A redelivery of this very command is answered from what was stored.
    """

    keyed = False

    task_id: Id
    idempotency_key: IdempotencyKey
    wake: Wake | None = None
    token_sha256: str = internal(default="")
    device: DeviceFacts | None = internal(default=None)


class RunToken(View):
    """Whose execution credential it is, and whether it still works."""

    caller: Caller | None
    """None when unknown, or ended more than a day ago."""
    expires_at: Time | None = None
    ended: str | None = None
    """When it ended: the sentence that its calls are refused with (`stale_attempt`)."""
    may_repeat_result: bool = False
    """Whether it ended by its own return_result at most ten minutes ago."""


class ResolveRunToken(Command[RunToken], service="tasks"):
    """Look an execution credential up by its SHA-256; a live one's attempt is renewed (R3). Never cached (R10)."""

    kept = False

    token_sha256: str


class RenewedRuns(View):
    """How many attempts were renewed."""

    renewed: int


class RenewRuns(Command[RenewedRuns], service="tasks"):
    """Renew the attempts of a device that waits for updates: a long build makes no calls (R3)."""

    kept = False

    device_id: Id


class RunFacts(View):
    """The attempt that a run's report belongs to (R39)."""

    attempt_id: Id
    task_id: Id
    project: Slug
    agent_id: AgentAddress
    owner: Slug
    late: bool
    """Whether the attempt had ended by lapsing before the report came."""


class DescribeRun(Query[RunFacts], service="tasks"):
    """Find the attempt for a report: the one claimed with this run id, else the reporter's newest without a report.

    `NotFound` where the task is none of the reporter's, or was never taken; `InvalidInput` where the project is
    not the task's.
    """

    project: Slug
    task_id: Id
    run_id: str
    """In lower case."""
    reported_attempts: list[Id] = Field(default_factory=list)
    """The attempts of this task that have a report with another run id."""
    device: DeviceFacts | None = None
    """None when an agent reports for itself with its client key."""


class EndedRun(View):
    """The task after its run was reported."""

    task: Task


class EndRun(Command[EndedRun], service="tasks"):
    """End a run's attempt that is still live, because its report says that it is over; again changes nothing (R39)."""

    task_id: Id
    attempt_id: Id


class DecidedTask(View):
    """A task that its assignee's owner allowed or refused."""

    task: Task


class AllowTask(Command[DecidedTask], service="tasks"):
    """Allow a task from outside to an agent of the calling person (R2)."""

    task_id: Id


class RefuseTask(Command[DecidedTask], service="tasks"):
    """Refuse it: the task is declined."""

    task_id: Id
    reason: str | None = None
