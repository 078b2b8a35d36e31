"""People: created by the operator, seen by their team."""

from __future__ import annotations

from libs.contracts.directory import CreatePerson, ListPeople, People, Person, RemovePerson
from services.gateway.people.endpoint import endpoint
from services.gateway.session import Session


@endpoint("POST", "/people", CreatePerson, status=201)
async def create_person(command: CreatePerson, session: Session) -> Person:
    """Create a person in a team."""
    return await session.ask(command)


@endpoint("GET", "/people", ListPeople)
async def list_people(query: ListPeople, session: Session) -> People:
    """The people of the caller's team; everybody for the operator."""
    return await session.ask(query)


@endpoint("DELETE", "/people/{handle}", RemovePerson, status=204)
async def remove_person(command: RemovePerson, session: Session) -> None:
    """Remove a person for good, with agents and devices; their keys end at once on every replica (R46)."""
    await session.ask(command)
    await session.tokens_changed()
