"""Approved memory: facts that people stand for, what was proposed, and what entries were before (R17)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from libs.contracts.base import Command, Query, View, absent
from libs.contracts.types import Address, AgentAddress, Id, Provenance, Slug, Time

MemoryKey = Annotated[str, StringConstraints(min_length=1, max_length=100)]
MemoryValue = Annotated[str, StringConstraints(max_length=4000)]
MemoryKeys = Annotated[list[MemoryKey], Field(min_length=1, max_length=20)]
Reason = Annotated[str, StringConstraints(min_length=1, max_length=2000)]
ProposalStatus = Literal["pending", "approved", "rejected"]


class MemoryEntry(View):
    """An approved fact or decision (R17)."""

    key: str
    value: str
    provenance: Provenance
    updated_by: Address
    updated_at: Time


class WrittenMemory(View):
    """A memory entry as it is now."""

    entry: MemoryEntry


class WriteMemory(Command[WrittenMemory], service="rooms"):
    """Write an approved entry as a member person: provenance owner_instruction, history kept (R17)."""

    project: Slug
    key: MemoryKey
    value: MemoryValue


class DeletedMemory(View):
    """A memory entry as it last was."""

    entry: MemoryEntry


class DeleteMemory(Command[DeletedMemory], service="rooms"):
    """Take an entry out of memory as a member person; its history is kept. Again changes nothing."""

    project: Slug
    key: MemoryKey


class Proposal(View):
    """What an agent proposed to remember with a result; it is no memory before a person approves it (R17)."""

    proposal_id: Id
    project: Slug
    key: MemoryKey
    value: MemoryValue
    approved_value: MemoryValue | None
    """What a person made of it, when it was approved."""
    proposed_by: AgentAddress
    task_id: Id
    result_id: Id
    status: ProposalStatus
    decided_by: Slug | None
    reason: str | None
    at: Time
    decided_at: Time | None


class Proposals(View):
    """Proposals of a project, oldest first."""

    proposals: list[Proposal]
    more: bool
    """Whether there are further ones."""


class ListProposals(Query[Proposals], service="rooms"):
    """The proposals of a project, for the people in it."""

    project: Slug
    status: ProposalStatus = "pending"
    after: Id | None = absent("The last proposal of the former page.")
    limit: int = Field(default=50, ge=1, le=100)


class DecidedProposal(View):
    """A proposal that was decided, and the entry that stands after it was approved."""

    proposal: Proposal
    entry: MemoryEntry | None


class DecideProposal(Command[DecidedProposal], service="rooms"):
    """Approve a proposal into memory, as it is or edited, or reject it, as a member person (R17).

    The first decision stands; repeating it is harmless.
    """

    project: Slug
    proposal_id: Id
    decision: Literal["approve", "reject"]
    value: MemoryValue | None = absent("What to remember instead of the proposed value.")
    memory_keys: MemoryKeys | None = absent("The approved entries that it rests on: makes it from_approved_context.")
    reason: Reason | None = absent("Why.")


class MemoryVersion(View):
    """A value that an entry has or had."""

    value: str
    provenance: Provenance
    updated_by: Address
    updated_at: Time
    memory_keys: list[str]
    """The entries that it rests on."""
    proposal_id: Id | None
    """The proposal that it comes from."""
    ended_by: Address | None
    """Who replaced or deleted it; None while it stands."""
    ended_at: Time | None


class EntryHistory(View):
    """Everything an entry was, newest first; the first version stands unless it has ended."""

    key: str
    versions: list[MemoryVersion]


class MemoryHistory(Query[EntryHistory], service="rooms"):
    """What an entry is and was, for the members of the project, also after it was deleted."""

    project: Slug
    key: MemoryKey


class ExportedMemory(View):
    """All that a project remembers or ever did, by key."""

    project: Slug
    name: str
    exported_at: Time
    entries: list[EntryHistory]


class ExportMemory(Query[ExportedMemory], service="rooms"):
    """The whole memory of a project with its history, for the people in it."""

    project: Slug
