"""The directory: teams, people, agents and their keys, kept by the gateway."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from libs.contracts.base import Command, Event, Query, View, absent
from libs.contracts.caller import Caller
from libs.contracts.types import Address, AgentAddress, Slug, TakesTasksFrom, Time

PersonName = Annotated[str, StringConstraints(min_length=1, max_length=80)]
AgentName = Annotated[str, StringConstraints(min_length=1, max_length=40)]
Capability = Annotated[str, StringConstraints(min_length=1, max_length=80)]
Capabilities = Annotated[list[Capability], Field(max_length=50)]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
KeyKind = Literal["client", "person", "operator"]


class Team(View):
    """A team."""

    slug: Slug
    created_at: Time


class Person(View):
    """A person, in exactly one team (R1)."""

    handle: Slug
    team: Slug
    display_name: PersonName
    created_at: Time


class Agent(View):
    """An agent and what its owner set."""

    agent_id: AgentAddress
    owner: Slug
    team: Slug
    display_name: AgentName
    capabilities: Capabilities
    takes_tasks_from: TakesTasksFrom
    created_at: Time


class Key(View):
    """A credential as it is listed: never its token."""

    key_id: str
    kind: KeyKind
    subject: str
    created_at: Time
    expires_at: Time | None
    last_used_at: Time | None
    revoked_at: Time | None


class IssuedKey(View):
    """A new credential; its token is in the gateway's answer alone, once."""

    key_id: str
    kind: KeyKind
    subject: str
    expires_at: Time | None


class Teams(View):
    teams: list[Team]


class People(View):
    people: list[Person]


class Agents(View):
    agents: list[Agent]


class Keys(View):
    keys: list[Key]


class CreateTeam(Command[Team], service="directory"):
    """Create a team (operator)."""

    slug: Slug


class ListTeams(Query[Teams], service="directory"):
    """All teams (operator)."""


class CreatePerson(Command[Person], service="directory"):
    """Create a person in a team (operator). Handles are never given out again."""

    handle: Slug
    team: Slug
    display_name: PersonName


class ListPeople(Query[People], service="directory"):
    """The people of the caller's team; all of them for the operator."""


class CreateAgent(Command[Agent], service="directory"):
    """Create an agent of a person: by the person, or by the operator. Addresses are never given out again."""

    agent_id: AgentAddress
    display_name: AgentName
    capabilities: Capabilities = Field(default_factory=list)
    takes_tasks_from: TakesTasksFrom = "owner"


class UpdateAgent(Command[Agent], service="directory"):
    """Change what an agent's owner may set; fields left out stay."""

    agent_id: AgentAddress
    display_name: AgentName | None = absent()
    capabilities: Capabilities | None = absent()
    takes_tasks_from: TakesTasksFrom | None = absent()


class RemoveAgent(Command[Agent], service="directory"):
    """Remove an agent for good: its keys end, its address is not given out again."""

    agent_id: AgentAddress


class ListAgents(Query[Agents], service="directory"):
    """The agents of the caller's team; all of them for the operator."""


class DescribeMembers(View):
    """What the directory knows of some addresses; unknown and removed ones are left out."""

    people: list[Person]
    agents: list[Agent]


class DescribeAddresses(Query[DescribeMembers], service="directory"):
    """Look up addresses; what the caller may not see is left out like what does not exist."""

    addresses: list[Address]


class IssueKey(Command[IssuedKey], service="directory"):
    """Record a credential whose token the gateway made: only its SHA-256 travels here and is kept."""

    subject: str
    kind: KeyKind
    token_sha256: Sha256
    expires_at: Time | None = absent()


class ListKeys(Query[Keys], service="directory"):
    """The keys of an agent or person, for its owner and the operator."""

    subject: str


class RevokeKey(Command[Key], service="directory"):
    """End a credential; again changes nothing (R46)."""

    key_id: str


class Resolved(View):
    """Whose token it is; None when unknown, expired or revoked."""

    caller: Caller | None
    expires_at: Time | None = None


class ResolveToken(Query[Resolved], service="directory"):
    """Look a token up by its SHA-256 (the gateway itself)."""

    token_sha256: Sha256


class Installation(View):
    """What all gateways of an installation share (R20)."""

    epoch: str
    cursor_key: str


class GetInstallation(Command[Installation], service="directory"):
    """The installation's epoch and cursor signing key, made at the first call."""

    kept = False


class RecordedUses(View):
    """How many of the credentials are known."""

    recorded: int


class RecordUses(Command[RecordedUses], service="directory"):
    """Remember when credentials were last used (the gateway itself, in batches)."""

    kept = False

    uses: dict[str, Time]


class AgentRemoved(Event, source="directory"):
    """An agent was removed for good."""

    agent_id: AgentAddress
