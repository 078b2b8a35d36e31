"""Every query of the directory. What a caller may not see is not found."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, or_, true
from sqlalchemy.orm import aliased
from sqlmodel import col, select, update
from sqlmodel.sql.expression import Select

from libs.bus import Work
from libs.contracts.caller import Caller
from libs.contracts.errors import Conflict, NotFound
from libs.storage import insert_into
from services.gateway.directory.domain import (
    THE_INSTALLATION,
    Agent,
    DirectoryTable,
    Installation,
    Key,
    Person,
    Team,
    governs,
    sees_everything,
)

OwnedAgent = tuple[Agent, str]
"""An agent and its owner's team."""


async def add(work: Work, thing: DirectoryTable, taken: str) -> None:
    """Insert a thing, or refuse with the sentence `taken` when its key was ever given out."""
    if not await _insert(work, thing):
        raise Conflict(taken)


async def _insert(work: Work, thing: DirectoryTable) -> bool:
    statement = insert_into(work.session, type(thing)).values(thing.model_dump()).on_conflict_do_nothing()
    result = await work.session.exec(statement)
    return bool(result.rowcount)


async def installation(work: Work) -> Installation:
    """The installation's one row, made at the first call."""
    found = await work.session.get(Installation, THE_INSTALLATION)
    if found is None:
        await _insert(work, Installation())
        found = await work.session.get_one(Installation, THE_INSTALLATION)
    return found


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
    query = select(Person).where(Person.handle == handle, _seen_by(caller))
    found = (await work.session.exec(query)).one_or_none()
    if found is None:
        raise NotFound("Name a person from the list of people.")
    return found


async def people(work: Work, caller: Caller, handles: Collection[str] | None = None) -> Sequence[Person]:
    """The people the caller may see, by handle; of some handles only, if they are given."""
    among = true() if handles is None else col(Person.handle).in_(handles)
    return (await work.session.exec(select(Person).where(_seen_by(caller), among).order_by(Person.handle))).all()


async def agent(work: Work, agent_id: str, caller: Caller) -> OwnedAgent:
    """A live agent that the caller may see."""
    return await _one_agent(work, _agents_seen_by(caller).where(Agent.agent_id == agent_id))


async def lock_agent(work: Work, agent_id: str, caller: Caller) -> OwnedAgent:
    """A live agent that the caller may see, locked so that two changes do not meet."""
    return await _one_agent(work, _agents_seen_by(caller).where(Agent.agent_id == agent_id).with_for_update(of=Agent))


async def _one_agent(work: Work, query: Select[Agent, str]) -> OwnedAgent:
    found = (await work.session.exec(query)).one_or_none()
    if found is None:
        raise NotFound("Name an agent from the list of agents.")
    return found


async def agents(work: Work, caller: Caller, agent_ids: Collection[str] | None = None) -> Sequence[OwnedAgent]:
    """The live agents the caller may see, by address; of some addresses only, if they are given."""
    among = true() if agent_ids is None else col(Agent.agent_id).in_(agent_ids)
    return (await work.session.exec(_agents_seen_by(caller).where(among).order_by(Agent.agent_id))).all()


def _agents_seen_by(caller: Caller) -> Select[Agent, str]:
    with_team = select(Agent, Person.team).join(Person, col(Person.handle) == Agent.owner)
    return with_team.where(col(Agent.removed_at).is_(None), _seen_by(caller))


async def lock_key(work: Work, key_id: str, caller: Caller) -> Key:
    """A key whose subject the caller governs."""
    found = (await work.session.exec(select(Key).where(Key.key_id == key_id).with_for_update())).one_or_none()
    if found is None or not governs(caller, found.subject):
        raise NotFound("Name a key from the list of keys of one of your agents.")
    return found


async def keys(work: Work, subject: str) -> Sequence[Key]:
    """All keys of an agent or person, oldest first."""
    return (await work.session.exec(select(Key).where(Key.subject == subject).order_by(Key.key_id))).all()


async def keys_by_id(work: Work, key_ids: Collection[str]) -> Sequence[Key]:
    """Some keys, in a fixed order so that two batches do not lock each other out."""
    query = select(Key).where(col(Key.key_id).in_(key_ids)).order_by(Key.key_id).with_for_update()
    return (await work.session.exec(query)).all()


async def revoke_keys(work: Work, subject: str) -> None:
    """End all keys of an agent or person."""
    live = update(Key).where(col(Key.subject) == subject, col(Key.revoked_at).is_(None))
    await work.session.exec(live.values(revoked_at=work.now))


async def live_key(work: Work, token_sha256: str) -> Key | None:
    """The key of a token that is neither revoked nor expired and whose agent is not removed."""
    query = (
        select(Key)
        .join(Agent, col(Agent.agent_id) == Key.subject, isouter=True)
        .where(Key.token_sha256 == token_sha256, col(Key.revoked_at).is_(None), col(Agent.removed_at).is_(None))
        .where(_not_expired(work.now))
    )
    return (await work.session.exec(query)).one_or_none()


def _not_expired(now: datetime) -> ColumnElement[bool]:
    return or_(col(Key.expires_at).is_(None), col(Key.expires_at) > now)


def _seen_by(caller: Caller) -> ColumnElement[bool]:
    """The condition that a person is in the caller's team; everybody is seen from above the teams."""
    if sees_everything(caller):
        return true()
    own = aliased(Person)
    return col(Person.team) == select(own.team).where(own.handle == caller.person).scalar_subquery()
