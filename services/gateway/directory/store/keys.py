"""Keys."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, or_
from sqlmodel import col, select, update

from libs.bus import Work
from libs.contracts.caller import Caller
from libs.contracts.errors import NotFound
from services.gateway.directory.domain import Agent, Device, Key, Person, governs


async def lock_key(work: Work, key_id: str, caller: Caller) -> Key:
    """A key whose subject the caller governs."""
    found = (await work.session.exec(select(Key).where(Key.key_id == key_id).with_for_update())).one_or_none()
    if found is None or not governs(caller, found.owner):
        raise NotFound("Name a key from the list of keys of one of your agents or devices.")
    return found


async def keys(work: Work, subject: str) -> Sequence[Key]:
    """All keys of an agent, person or device, oldest first."""
    return (await work.session.exec(select(Key).where(Key.subject == subject).order_by(Key.key_id))).all()


async def keys_by_id(work: Work, key_ids: Collection[str]) -> Sequence[Key]:
    """Some keys, in a fixed order so that two batches do not lock each other out."""
    query = select(Key).where(col(Key.key_id).in_(key_ids)).order_by(Key.key_id).with_for_update()
    return (await work.session.exec(query)).all()


async def revoke_keys(work: Work, subject: str) -> None:
    """End all keys of an agent, person or device."""
    await _revoke(work, col(Key.subject) == subject)


async def revoke_keys_of_owner(work: Work, owner: str) -> None:
    """End all keys of a person and of what is theirs."""
    await _revoke(work, col(Key.owner) == owner)


async def _revoke(work: Work, whose: ColumnElement[bool]) -> None:
    live = update(Key).where(whose, col(Key.revoked_at).is_(None))
    await work.session.exec(live.values(revoked_at=work.now))


async def live_key(work: Work, token_sha256: str) -> Key | None:
    """The key of a token that is neither revoked nor expired and whose agent, device or person is not removed."""
    query = (
        select(Key)
        .join(Agent, col(Agent.agent_id) == Key.subject, isouter=True)
        .join(Device, col(Device.device_id) == Key.subject, isouter=True)
        .join(Person, col(Person.handle) == Key.owner, isouter=True)
        .where(Key.token_sha256 == token_sha256, col(Key.revoked_at).is_(None), _not_expired(work.now))
        .where(*(col(kind.removed_at).is_(None) for kind in (Agent, Device, Person)))
    )
    return (await work.session.exec(query)).one_or_none()


def _not_expired(now: datetime) -> ColumnElement[bool]:
    return or_(col(Key.expires_at).is_(None), col(Key.expires_at) > now)
