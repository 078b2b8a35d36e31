"""Task requests: what rooms and tasks tell each other when a task is handed off."""

from __future__ import annotations

from pydantic import Field

from libs.contracts.base import Command, Query, View
from libs.contracts.rooms.memory import MemoryEntry, MemoryKey
from libs.contracts.rooms.messages import Body, Message, StoredMessage
from libs.contracts.rooms.projects import Member
from libs.contracts.types import Address, AgentAddress, Id, Slug


class HandoffFacts(View):
    """What tasks must know of a project to open a task in it."""

    project_owner: Slug
    requester: Member
    assignee: Member
    messages: list[Message]
    memory: list[MemoryEntry] = Field(default_factory=list)


class CollectHandoffFacts(Query[HandoffFacts], service="rooms"):
    """Check that requester and assignee are members and fetch what the packet refers to."""

    project: Slug
    assignee: AgentAddress
    message_ids: list[Id] = Field(default_factory=list)
    memory_keys: list[MemoryKey] = Field(default_factory=list)


class StoreTaskRequest(Command[StoredMessage], service="rooms"):
    """Store a task's Task request under the id that tasks minted; again changes nothing."""

    project: Slug
    message_id: Id
    task_id: Id
    requester: Address
    assignee: AgentAddress
    body: Body
    held: bool = False
    """Whether the assignee is not to be told of it yet (R2)."""
