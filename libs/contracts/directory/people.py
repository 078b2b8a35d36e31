"""Teams, people and agents."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from libs.contracts.base import Command, Event, Query, View, absent
from libs.contracts.types import Address, AgentAddress, Slug, TakesTasksFrom, Time

PersonName = Annotated[str, StringConstraints(min_length=1, max_length=80)]
AgentName = Annotated[str, StringConstraints(min_length=1, max_length=40)]
Capability = Annotated[str, StringConstraints(min_length=1, max_length=80)]
Capabilities = Annotated[list[Capability], Field(max_length=50)]


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


class Teams(View):
    teams: list[Team]


class People(View):
    people: list[Person]


class Agents(View):
    agents: list[Agent]


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


class RemovePerson(Command[Person], service="directory"):
    """Remove a person for good, with their agents and devices (operator): their keys end, no address is reused."""

    handle: Slug


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


class AgentRemoved(Event, source="directory"):
    """An agent was removed for good."""

    agent_id: AgentAddress


class AgentChanged(Event, source="directory"):
    """An agent was renamed; rooms shows members by name."""

    agent_id: AgentAddress
    display_name: AgentName
    version: int
    """Rises with each name, so that old news is told from new (R42)."""


class PersonRemoved(Event, source="directory"):
    """A person was removed for good, and with them their agents; their devices are announced by themselves."""

    handle: Slug
    agents: list[AgentAddress]
