"""Projects."""

from __future__ import annotations

from typing import Annotated

from pydantic import StringConstraints

from libs.contracts.base import Data
from libs.contracts.directory import DescribeAddresses
from libs.contracts.errors import NotFound
from libs.contracts.rooms import (
    CreateProject,
    GetProject,
    ListProjects,
    ProjectRoom,
    ProjectRooms,
)
from libs.contracts.types import Slug
from services.gateway.people.endpoint import endpoint
from services.gateway.session import Session


class NewProject(Data):
    """A project that is wanted; its team is its owner's."""

    slug: Slug
    owner: Slug
    name: Annotated[str, StringConstraints(min_length=1, max_length=80)]
    description: Annotated[str, StringConstraints(max_length=2000)] = ""


@endpoint("POST", "/projects", NewProject, status=201)
async def create_project(wanted: NewProject, session: Session) -> ProjectRoom:
    """Create a project of a person, its first member."""
    described = await session.ask(DescribeAddresses(addresses=[wanted.owner]))
    if not described.people:
        raise NotFound("Name a person from the list of people as the project's owner.", field="owner")
    (owner,) = described.people
    return await session.ask(
        CreateProject(
            slug=wanted.slug,
            team=owner.team,
            owner=owner.handle,
            owner_display_name=owner.display_name,
            name=wanted.name,
            description=wanted.description,
        )
    )


@endpoint("GET", "/projects", ListProjects)
async def list_projects(query: ListProjects, session: Session) -> ProjectRooms:
    """The projects the caller is a member of; all of them for the operator."""
    return await session.ask(query)


@endpoint("GET", "/projects/{project}", GetProject)
async def get_project(query: GetProject, session: Session) -> ProjectRoom:
    """A project with its members and memory."""
    return await session.ask(query)
