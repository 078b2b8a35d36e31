"""Tasks as they are shown, and their end before their time."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from libs.contracts.base import Command, View, absent
from libs.contracts.tasks.fields import KEY, TASK, TaskState, Text2000, Title
from libs.contracts.types import Address, AgentAddress, Branch, Id, IdempotencyKey, Slug, Time


class LiveAttempt(View):
    """Who holds a task now."""

    attempt_id: Id | None = absent("The attempt's id, shown to its holder only.")
    kind: Literal["interactive", "run"] = Field(description="Taken by accept_task, or claimed by a runner.")
    started_at: Time = Field(description="When it was taken.")
    deadline: Time | None = Field(
        description="When it lapses unless a call renews it; null while its task waits and nothing else ends it."
    )


class Task(View):
    """A task."""

    task_id: Id = Field(description=TASK)
    project: Slug = Field(description="The project it belongs to.")
    title: Title = Field(description="Its title.")
    state: TaskState = Field(description="Where it stands.")
    requester: Address = Field(description="Who asked for it.")
    assignee: AgentAddress = Field(description="The agent it was handed to.")
    attempt: LiveAttempt | None = Field(description="The live attempt, if somebody holds it.")
    attempts_used: int = Field(description="Attempts begun since it was last requested.")
    branch: Branch | None = Field(description="The branch to work on.")
    due_at: Time | None = Field(description="When it expires if nobody has taken it.")
    note: Text2000 | None = absent("What was said when its state last changed, such as why it was cancelled.")
    message_id: Id = Field(description="Its Task request in the room.")
    created_at: Time = Field(description="When it was handed off.")
    updated_at: Time = Field(description="When it last changed.")


class CancelledTask(View):
    """The output of cancel_task."""

    task: Task = Field(description="The task as it is now.")


class CancelTask(Command[CancelledTask], service="tasks"):
    """End a task that is not final, and its attempt with it."""

    task_id: Id = Field(description=TASK)
    reason: Text2000 = Field(description="Why, for the assignee.")
    idempotency_key: IdempotencyKey | None = absent(KEY)
