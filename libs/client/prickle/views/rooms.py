"""Projects, rooms and memory, as the HTTP API answers them."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict


class ProjectFacts(TypedDict):
    """A project itself."""

    slug: str
    team: str
    name: str
    description: str


class Member(TypedDict):
    """A person or agent in a project."""

    kind: Literal["person", "agent"]
    address: str
    display_name: str
    joined_at: str


class MemoryEntry(TypedDict):
    """An approved fact of a project."""

    key: str
    value: str
    provenance: str
    updated_by: str
    updated_at: str


class Project(TypedDict):
    """A project with its members and memory."""

    project: ProjectFacts
    owner: str
    members: list[Member]
    memory: list[MemoryEntry]


class Author(TypedDict):
    """Who wrote a message: a person by `handle`, an agent by `agent_id` and `owner`."""

    kind: Literal["person", "agent"]
    handle: NotRequired[str]
    agent_id: NotRequired[str]
    owner: NotRequired[str]
    display_name: str


class Message(TypedDict):
    """A message in a room."""

    id: str
    project: str
    author: Author
    body: str
    mentions: list[str]
    provenance: str | None
    in_reply_to: str | None
    task_id: str | None
    created_at: str


class PostedMessage(TypedDict):
    """A message as stored, and who was told."""

    message: Message
    notified: list[str]
    not_notified: list[dict[str, str]]
    notice: NotRequired[str]


class RoomPage(TypedDict):
    """Messages, oldest first."""

    messages: list[Message]
    next_cursor: str | None
    resume_cursor: str
    memory_keys: dict[str, list[str]]


class Intent(TypedDict):
    """What an agent is about to change."""

    kind: str
    paths: list[str]
    areas: list[str]
    expires_at: str


class Pulse(TypedDict):
    """What an agent is doing in a project."""

    agent_id: str
    owner: str
    project: str
    availability: str
    doing: str
    task_id: str | None
    branch: str | None
    files: list[str]
    last_decision: str | None
    updated_at: str
    intent: NotRequired[Intent]


class MemoryVersion(TypedDict):
    """A value that an entry has or had."""

    value: str
    provenance: str
    updated_by: str
    updated_at: str
    memory_keys: list[str]
    proposal_id: str | None
    ended_by: str | None
    ended_at: str | None


class EntryHistory(TypedDict):
    """What an entry is and was, newest first."""

    key: str
    versions: list[MemoryVersion]


class MemoryExport(TypedDict):
    """All that a project remembers or ever did."""

    project: str
    name: str
    exported_at: str
    entries: list[EntryHistory]


class Proposal(TypedDict):
    """What an agent proposed to remember."""

    proposal_id: str
    project: str
    key: str
    value: str
    proposed_by: str
    task_id: str
    result_id: str
    status: Literal["pending", "approved", "rejected"]
    decided_by: str | None
    reason: str | None
    at: str
    decided_at: str | None


class ProposalPage(TypedDict):
    """Proposals, oldest first."""

    proposals: list[Proposal]
    more: bool


class DecidedProposal(TypedDict):
    """A proposal that was decided, and what is remembered now."""

    proposal: Proposal
    entry: MemoryEntry | None
