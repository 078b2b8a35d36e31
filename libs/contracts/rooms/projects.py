"""Projects and who is in them (R1)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import StringConstraints

from libs.contracts.base import Command, Query, View
from libs.contracts.rooms.memory import MemoryEntry
from libs.contracts.types import Address, Slug, Time


class ProjectView(View):
    """A project."""

    slug: Slug
    team: str
    name: str
    description: str


class Member(View):
    """A person or agent of a project."""

    kind: Literal["person", "agent"]
    address: Address
    display_name: str
    joined_at: Time


class ProjectRoom(View):
    """A project with its members and memory, newest entries first."""

    project: ProjectView
    owner: Slug
    members: list[Member]
    memory: list[MemoryEntry]


class GetProject(Query[ProjectRoom], service="rooms"):
    """The project with members and memory, for a member, or a device that its owner linked to it."""

    project: Slug


class ProjectRooms(View):
    """Several projects."""

    projects: list[ProjectRoom]


class ListProjects(Query[ProjectRooms], service="rooms"):
    """The projects that an agent or person is a member of, without their memory; all of them for the operator."""

    member: Address | None = None


class CreateProject(Command[ProjectRoom], service="rooms"):
    """Create a project; its owner is its first member. Again with the same data changes nothing."""

    slug: Slug
    team: Slug
    owner: Slug
    owner_display_name: str
    name: Annotated[str, StringConstraints(min_length=1, max_length=80)]
    description: Annotated[str, StringConstraints(max_length=2000)] = ""


class AddMember(Command[ProjectRoom], service="rooms"):
    """Add a person or agent of the project's team; an agent's owner must be a member. Again changes nothing."""

    project: Slug
    address: Address
    display_name: str
    team: Slug


class RemoveMember(Command[ProjectRoom], service="rooms"):
    """Remove a member; removing a person removes its agents (R1). Its mailbox is kept."""

    project: Slug
    address: Address
