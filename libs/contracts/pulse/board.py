"""The shared board of a team: one row per agent, its leases, and what memory_agents does to them (R32-R36)."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, StringConstraints

from libs.contracts.base import Command, Data, View, absent, internal
from libs.contracts.directory import AgentName
from libs.contracts.pulse.leases import Lease
from libs.contracts.pulse.parks import Park, ParkReason
from libs.contracts.types import AgentAddress, Id, Slug, Time

Text120 = Annotated[str, StringConstraints(max_length=120)]
Text240 = Annotated[str, StringConstraints(max_length=240)]
BoardAction = Literal["list", "update", "claim", "release"]
Outcome = Literal["updated", "granted", "renewed", "queued", "released", "left_queue"]


class LiveRun(View):
    """A run that works for an agent now: a child that the board knows by itself."""

    project: Slug | None = absent("The project it works in, if that is one of yours.")
    task_id: Id | None = absent("Its task, if the project is one of yours.")
    started_at: Time = Field(description="When it started.")


class BoardRow(View):
    """An agent on the board."""

    agent_id: AgentAddress = Field(description="The agent.")
    name: str = Field(description="The name it chose for the board, else the one its owner gave it.")
    status: str = Field(description="Its progress; empty when it said nothing.")
    task: str = Field(description="Its current task; empty when it said nothing.")
    project: str = Field(description="Its project; empty when it said nothing.")
    children: list[str] = Field(description="The labels it gave its helpers.")
    runs: list[LiveRun] = Field(description="Its live runs, which the hub knows by itself.")
    expected_end: Time | None = absent("When it expects to be done.")
    overdue: bool = Field(description="Whether that has passed.")
    park: Park | None = absent("Why it stopped; absent when it is not parked.")
    attached: bool = Field(description="Whether it listens now: it waits, or called within the last minute.")
    active_at: Time | None = Field(description="When it last called the hub or wrote on the board; null if never.")


class BoardAnswer(View):
    """The output of memory_agents."""

    outcome: Outcome | None = absent("What was done (update, claim, release).")
    position: int | None = absent("Your place in the queue, from 1 (queued).")
    warning: str | None = absent("What else changed, such as a park that your status cleared.")
    lease: Lease | None = absent("The lease you claimed or released, as it is now; absent when nobody holds it.")
    you: BoardRow = Field(description="Your own row.")
    peers: list[BoardRow] | None = absent("The other agents of the team (list): attached first, then the latest.")
    peer_count: int | None = absent("How many peers were active within the last hour, listed or not (list).")
    idle_omitted: int | None = absent("How many more peers were not: they are not listed (list).")
    truncated: bool | None = absent("Whether peers were left out of the list for its size (list).")
    leases: list[Lease] = Field(description="Leases you hold or wait for; with list then those of the others, too.")
    lease_count: int = Field(description="How many of these leases there are, listed or not.")
    leases_truncated: bool = Field(description="Whether leases were left out for their number or size.")


class BoardAgent(Data):
    """An agent of the team, as the directory knows it."""

    agent_id: AgentAddress
    display_name: AgentName


class BoardFacts(Data):
    """What the gateway knows of the caller's team."""

    team: Slug
    projects: list[Slug]
    """The caller's own."""
    agents: list[BoardAgent]
    """Of the whole team, the caller included."""


class MemoryAgents(Command[BoardAnswer], service="pulse"):
    """What memory_agents does; its schema is the reference's. Fields left out and null are the same."""

    action: BoardAction = "list"
    name: Text120 | None = None
    task: Text120 | None = None
    status: Text240 | None = None
    project: Text120 | None = None
    expect: int | None = None
    children: list[str] | None = None
    park_reason: ParkReason | Literal[""] | None = None
    park_needs: Text120 | None = None
    park_clear_by: Text120 | None = None
    park_resume: Text240 | None = None
    park_expires: float | None = None
    lease: Text120 | None = None
    repository_id: str | None = None
    path: str | None = None
    worktree: str | None = None
    facts: BoardFacts | None = internal(default=None)


class ListBoard(MemoryAgents, service="pulse"):
    """The same with action list: its answer, which may be long, is not kept for a repeated command."""

    kept: ClassVar[bool] = False
