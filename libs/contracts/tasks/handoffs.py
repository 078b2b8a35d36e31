"""Handing tasks off: the packet for the assignee and the Task request for the room."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from libs.contracts.base import Command, Data, Event, View, absent, internal
from libs.contracts.rooms import Message
from libs.contracts.tasks.fields import KEY, Criterion, EvidenceKind, Text8000, Title
from libs.contracts.tasks.tasks import Task
from libs.contracts.types import (
    Address,
    AgentAddress,
    Branch,
    File,
    Files,
    Id,
    IdempotencyKey,
    Slug,
    TakesTasksFrom,
    Time,
)


class HandoffContext(Data):
    """What the assignee gets besides the objective."""

    message_ids: list[Id] | None = absent("Messages of this room to copy into the packet.", max_length=20)
    files: Files | None = absent("Files to look at first.")
    branch: Branch | None = absent("The branch to work on.")


class PacketContext(View):
    """The context as it was at handoff."""

    messages: list[Message] = Field(description="The messages that were named.")
    files: list[File] = Field(description="The files that were named.")
    branch: Branch | None = Field(description="The branch that was named.")


class Packet(View):
    """What the assignee works from."""

    objective: Text8000 = Field(description="What to achieve.")
    acceptance: list[Criterion] = Field(description="The criteria, counted from 0: the definition of done.")
    evidence: list[list[EvidenceKind]] = Field(
        description="Per criterion the kinds of which one is enough; [] for any."
    )
    context: PacketContext = Field(description="What was attached.")


class OpenedTask(View):
    """A new task and the Task request to store for it."""

    task: Task
    task_request: str
    """The body of the Task request."""


class HandedOff(View):
    """The output of handoff."""

    task: Task = Field(description="The task.")
    message: Message = Field(description="Its Task request in the room.")


class AssigneeFacts(Data):
    """What the directory and rooms know of a handoff, collected by the gateway at most 2 s before."""

    project_owner: Slug
    takes_tasks_from: TakesTasksFrom
    messages: list[Message]


class Handoff(Command[OpenedTask], service="tasks"):
    """Hand a task to an agent."""

    project: Slug = Field(description="The project, by its slug.")
    to: AgentAddress = Field(description="The agent to hand it to, by its address.")
    title: Title = Field(description="What it is, in one line.")
    objective: Text8000 = Field(description="What to achieve and why, in Markdown.")
    acceptance: list[Criterion] = Field(
        min_length=1, max_length=20, description="The criteria a result must meet: the definition of done."
    )
    evidence: list[Annotated[list[EvidenceKind], Field(max_length=9)]] | None = absent(
        "Per criterion, in the same order, the kinds of evidence of which one is enough; [] for any.", max_length=20
    )
    context: HandoffContext | None = absent("What the assignee gets besides the objective.")
    due_at: Time | None = absent("When the task expires if nobody has taken it; a live attempt is only told.")
    idempotency_key: IdempotencyKey | None = absent(KEY)
    facts: AssigneeFacts | None = internal(default=None)


class TaskRequested(Event, source="tasks"):
    """A task was handed off; rooms stores its Task request."""

    project: Slug
    message_id: Id
    task_id: Id
    requester: Address
    assignee: AgentAddress
    body: str
    held: bool = False
    """Whether the assignee is not to be told of it yet: its owner decides (R2)."""


class TaskAllowed(Event, source="tasks"):
    """The assignee's owner allowed a task from outside; rooms tells the assignee of its Task request now (R2)."""

    project: Slug
    message_id: Id
    task_id: Id
    requester: Address
    assignee: AgentAddress
    body: str
