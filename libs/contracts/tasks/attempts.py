"""Taking tasks and working on them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from libs.contracts.base import Command, Event, View, absent
from libs.contracts.tasks.fields import ATTEMPT, KEY, TASK, CommitId, Text2000
from libs.contracts.tasks.requests import Request
from libs.contracts.tasks.tasks import Task
from libs.contracts.types import AgentAddress, Branch, Files, Id, IdempotencyKey, Slug, Time


class Attempt(View):
    """The caller's hold on a task."""

    attempt_id: Id = Field(description="The attempt's id: name it in checkpoint and return_result.")
    task_id: Id = Field(description=TASK)
    kind: Literal["interactive", "run"] = Field(description="Taken by accept_task, or claimed by a runner.")
    agent_id: AgentAddress = Field(description="The agent that holds it.")
    claimed_at: Time = Field(description="When it was taken.")
    deadline: Time = Field(description="When it lapses unless a call renews it.")


class AcceptedTask(View):
    """The output of accept_task."""

    task: Task = Field(description="The task as it is now.")
    attempt: Attempt | None = Field(description="Your hold on it; null when you declined.")


class AcceptTask(Command[AcceptedTask], service="tasks"):
    """Take a requested task, or decline it."""

    task_id: Id = Field(description=TASK)
    note: Text2000 | None = absent("A word to the requester.")
    decline_reason: Text2000 | None = absent("Decline the task, and why.")
    idempotency_key: IdempotencyKey | None = absent(KEY)


class Checkpoint(View):
    """Progress of an attempt."""

    checkpoint_id: Id = Field(description="The checkpoint's id.")
    task_id: Id = Field(description=TASK)
    summary: Text2000 = Field(description="What was done so far.")
    progress: int | None = absent("Percent done.")
    branch: Branch | None = absent("The branch worked on.")
    commit: CommitId | None = absent("The last commit.")
    files: Files | None = absent("The files touched.")
    next: str | None = absent("What comes next.")
    blocked_on: str | None = absent("What stands in the way.")
    at: Time = Field(description="When it was made.")


class Directive(View):
    """Something that is wanted of the attempt."""

    kind: str = Field(description="What it is about: deadline, clarified, capability, or step.")
    at: Time | None = absent("For a deadline the time the task was due; for an approved capability its end.")
    message: str = Field(description="What to do, in one sentence.")
    request: Request | None = absent("Your request that was decided, with the answer.")


class MadeCheckpoint(View):
    """The output of checkpoint."""

    checkpoint: Checkpoint = Field(description="The checkpoint as stored.")
    task: Task = Field(description="The task as it is now.")
    directives: list[Directive] = Field(description="What is wanted of you now.")


class MakeCheckpoint(Command[MadeCheckpoint], service="tasks"):
    """Keep an attempt alive and tell how far it is."""

    task_id: Id = Field(description=TASK)
    attempt_id: Id | None = absent(ATTEMPT)
    summary: Text2000 = Field(description="What was done so far.")
    progress: Annotated[int, Field(ge=0, le=100)] | None = absent("Percent done.")
    branch: Branch | None = absent("The branch worked on.")
    commit: CommitId | None = absent("The last commit.")
    files: Files | None = absent("The files touched.")
    next: Text2000 | None = absent("What comes next.")
    blocked_on: Text2000 | None = absent("What stands in the way.")
    idempotency_key: IdempotencyKey | None = absent(KEY)


class AttemptStarted(Event, source="tasks"):
    """An agent took a task."""

    project: Slug
    task_id: Id
    attempt_id: Id
    agent_id: AgentAddress
    kind: Literal["interactive", "run"] = "interactive"
    started_at: Time | None = None
    """When, for whoever must know what came after it; None from a service that does not say yet."""
    version: int
    """Rises with each change of the task; a consumer ignores a lower one (R42)."""


class AttemptEnded(Event, source="tasks"):
    """An agent no longer holds a task."""

    project: Slug
    task_id: Id
    attempt_id: Id
    agent_id: AgentAddress
    version: int
