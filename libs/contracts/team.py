"""The team as an agent sees it: what the gateway puts together from the directory, rooms and pulse."""

from __future__ import annotations

from pydantic import Field

from libs.contracts.base import Data, View, absent
from libs.contracts.directory import AgentName, Capabilities, Capability
from libs.contracts.pulse import Doing
from libs.contracts.types import AgentAddress, Availability, Cursor, Slug, TakesTasksFrom


class GetProjectContext(Data):
    """The input of get_project_context; its schema is the reference's."""

    project: Slug


class DiscoverTeamAgents(Data):
    """The input of discover_team_agents."""

    project: Slug | None = absent("Only agents of this project; by default of all of yours.")
    capability: Capability | None = absent("Only agents whose owner gave them this label, spelled exactly so.")
    available: bool | None = absent("true: only agents that are online, working or idle; false: only the others.")
    cursor: Cursor | None = absent("The next_cursor of the former page; leave it out for the first.")
    limit: int = Field(default=20, ge=1, le=50, description="Agents per page.")


class TeamAgent(View):
    """An agent that shares a project with the caller."""

    agent_id: AgentAddress = Field(description="Its address: what handoff takes as to, and @address mentions it.")
    owner: Slug = Field(description="Its owner's handle.")
    display_name: AgentName = Field(description="The name that people read.")
    capabilities: Capabilities = Field(description="Labels that its owner set.")
    availability: Availability = Field(description="Whether it can be reached, in the project it reported from last.")
    doing: Doing = Field(description="What it says it is doing there; empty when it said nothing.")
    projects: list[Slug] = Field(description="The projects it shares with you.")
    takes_tasks_from: TakesTasksFrom = Field(
        description="owner: only its owner and the owner's agents may hand it tasks; team: everyone in the project."
    )
    runner_online: bool = Field(description="Whether a runner stands by to launch it.")
    is_you: bool = Field(description="Whether it is you.")


class TeamAgents(View):
    """The output of discover_team_agents."""

    agents: list[TeamAgent] = Field(description="The agents, in the order of their addresses.")
    next_cursor: str | None = Field(description="Pass it as cursor for the next page; null when nothing is left.")
