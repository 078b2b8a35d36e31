"""Teams, and people who are not removed."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import ColumnElement, and_, true
from sqlalchemy.orm import aliased
from sqlmodel import col, select
from sqlmodel.sql.expression import SelectOfScalar

from libs.bus import Work
from libs.contracts.caller import Caller
from libs.contracts.errors import NotFound
from services.gateway.directory.domain import Person, Team, sees_everything


async def team(work: Work, slug: str) -> Team:
    """A team by its slug."""
    found = await work.session.get(Team, slug)
    if found is None:
        raise NotFound("Create the team first, or name one from the list of teams.", field="team")
    return found


async def teams(work: Work) -> Sequence[Team]:
    """All teams by slug."""
    return (await work.session.exec(select(Team).order_by(Team.slug))).all()


async def person(work: Work, handle: str, caller: Caller) -> Person:
    """A person the caller may see."""
    return await _one_person(work, select(Person).where(Person.handle == handle, seen_by(caller)))


async def lock_person(work: Work, handle: str, caller: Caller) -> Person:
    """The same, locked: they are not removed until the transaction ends."""
    query = select(Person).where(Person.handle == handle, seen_by(caller))
    return await _one_person(work, query.with_for_update(of=Person))


async def _one_person(work: Work, query: SelectOfScalar[Person]) -> Person:
    found = (await work.session.exec(query)).one_or_none()
    if found is None:
        raise NotFound("Name a person from the list of people.")
    return found


async def people(work: Work, caller: Caller, handles: Collection[str] | None = None) -> Sequence[Person]:
    """The people the caller may see, by handle; of some handles only, if they are given."""
    among = true() if handles is None else col(Person.handle).in_(handles)
    return (await work.session.exec(select(Person).where(seen_by(caller), among).order_by(Person.handle))).all()


def seen_by(caller: Caller) -> ColumnElement[bool]:
    """The condition that a person is there, in the caller's team; everybody is seen from above the teams."""
    present = col(Person.removed_at).is_(None)
    if sees_everything(caller):
        return present
    own = aliased(Person)
    team = select(own.team).where(own.handle == caller.person, col(own.removed_at).is_(None)).scalar_subquery()
    return and_(present, col(Person.team) == team)
