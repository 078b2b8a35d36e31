"""Handing tasks off: the packet for the assignee and the Task request for the room."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from libs.contracts.base import Command, Data, Event, Query, View, absent, internal
from libs.contracts.rooms import MemoryEntry, Message
from libs.contracts.rooms.memory import MemoryKey
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

    memory_keys: list[MemoryKey] | None = absent(
        "Entries of the project's memory to copy into the packet, by their keys.", max_length=20
    )
    message_ids: list[Id] | None = absent("Messages of this room to copy into the packet.", max_length=20)
    files: Files | None = absent("Files to look at first.")
    branch: Branch | None = absent("The branch to work on.")


class PacketContext(View):
    """The context as it was at handoff."""

    memory: list[MemoryEntry] = Field(default_factory=list, description="The memory entries that were named.")
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
    memory: list[MemoryEntry] = Field(default_factory=list)


class Offer(Data):
    """What is handed to whom."""

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
    facts: AssigneeFacts | None = internal(default=None)


class Handoff(Offer, Command[OpenedTask], service="tasks"):
    """Hand a task to an agent."""

    idempotency_key: IdempotencyKey | None = absent(KEY)


class LeftOut(View):
    """Something that the assignee would not get."""

    what: str = Field(description="What, and how much of it.")
    why: str = Field(description="Why it is left out.")


class PacketPreview(View):
    """The output of preview_packet."""

    packet: Packet = Field(description="The packet exactly as the assignee would get it.")
    characters: int = Field(description="The packet's characters as compact JSON, the form in which agents read it.")
    estimated_tokens: int = Field(description="About how many tokens it takes: a quarter of its bytes in UTF-8.")
    left_out: list[LeftOut] = Field(description="What the assignee would not get; empty when it gets everything.")
    may_take: bool = Field(description="Whether the assignee could take the task at once.")
    why_not: str | None = Field(description="Why it could not; null when it could.")


class PreviewPacket(Offer, Query[PacketPreview], service="tasks"):
    """What a handoff would give to its assignee; refused where the handoff would be, and writes nothing."""


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
