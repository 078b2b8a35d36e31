"""Members of projects: the directory knows who they are, rooms whether they belong."""

from __future__ import annotations

from libs.contracts.base import Data
from libs.contracts.directory import Agent, DescribeAddresses, Person
from libs.contracts.errors import NotFound
from libs.contracts.rooms import AddMember, ProjectRoom, RemoveMember
from libs.contracts.types import Address, Slug
from services.gateway.people.endpoint import endpoint
from services.gateway.session import Session


class NewMember(Data):
    """Who is wanted in a project."""

    project: Slug
    address: Address


@endpoint("PUT", "/projects/{project}/members/{address:text}", NewMember)
async def add_member(wanted: NewMember, session: Session) -> ProjectRoom:
    """Add a person or agent to a project; again changes nothing."""
    known = await session.ask(DescribeAddresses(addresses=[wanted.address]))
    members: list[Person | Agent] = [*known.people, *known.agents]
    if not members:
        raise NotFound("Name a person or an agent from the lists of people and agents.", field="address")
    facts = {"display_name": members[0].display_name, "team": members[0].team}
    return await session.ask(AddMember(project=wanted.project, address=wanted.address, **facts))


@endpoint("DELETE", "/projects/{project}/members/{address:text}", RemoveMember, status=204)
async def remove_member(command: RemoveMember, session: Session) -> None:
    """Remove a member; with a person go its agents (R1)."""
    await session.ask(command)
