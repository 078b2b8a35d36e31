"""Devices: machines of people that run agents, linked to agents and projects (R12)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from libs.contracts.base import Command, Event, Query, View, absent
from libs.contracts.types import AgentAddress, Id, Slug, TakesTasksFrom, Time

DeviceName = Annotated[str, StringConstraints(min_length=1, max_length=80)]
Slots = Annotated[int, Field(ge=1, le=64)]
Agents = Annotated[list[AgentAddress], Field(max_length=100)]
Projects = Annotated[list[Slug], Field(max_length=100)]


class Device(View):
    """A person's machine that runs agents."""

    device_id: Id
    owner: Slug
    name: DeviceName
    slots: Slots
    """How many runs of tasks it takes at once."""
    agents: list[AgentAddress]
    projects: list[Slug]
    created_at: Time
    version: int
    """Rises with each change."""


class Devices(View):
    devices: list[Device]


class RegisterDevice(Command[Device], service="directory"):
    """Register a device of the calling person (or of anyone, by the operator).

    Agents must be the owner's own; a project must be one that the owner is in, which the gateway checks.
    """

    name: DeviceName
    owner: Slug | None = absent("Whose device it is: for the operator only; the caller by default.")
    slots: Slots = Field(default=1, description="How many runs of tasks it takes at once.")
    agents: Agents = Field(default_factory=list, description="The owner's agents whose tasks it runs.")
    projects: Projects = Field(default_factory=list, description="The owner's projects in which it runs them.")


class UpdateDevice(Command[Device], service="directory"):
    """Change a device of one's own; fields left out stay, lists are replaced whole. Links as with `RegisterDevice`."""

    device_id: Id
    name: DeviceName | None = absent()
    slots: Slots | None = absent("How many runs of tasks it takes at once.")
    agents: Agents | None = absent("All agents whose tasks it runs.")
    projects: Projects | None = absent("All projects in which it runs them.")


class RemoveDevice(Command[Device], service="directory"):
    """Remove a device for good: its keys end."""

    device_id: Id


class ListDevices(Query[Devices], service="directory"):
    """The devices of the calling person; all of them for the operator."""


class KnownDevice(View):
    """A device as a claim needs it; None when it was removed."""

    device: Device | None
    takes_tasks_from: dict[AgentAddress, TakesTasksFrom]
    """Of the agents linked to it."""


class DescribeDevice(Query[KnownDevice], service="directory"):
    """Look a device up (the gateway itself)."""

    device_id: Id


class AgentsWithRunner(View):
    """Those of some agents for whom a runner stands by."""

    agent_ids: list[AgentAddress]


class FindRunners(Query[AgentsWithRunner], service="directory"):
    """For which agents a linked device called a moment ago (the gateway itself)."""

    agent_ids: list[AgentAddress]


class DeviceChanged(Event, source="directory"):
    """A device was registered, changed or removed; rooms and tasks keep its links for their mailboxes (R19)."""

    device_id: Id
    owner: Slug
    slots: int
    agents: list[AgentAddress]
    projects: list[Slug]
    removed: bool = False
    version: int
