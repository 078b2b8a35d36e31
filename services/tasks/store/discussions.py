"""Discussions."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import ColumnElement
from sqlmodel import col, select

from libs.bus import Work
from services.tasks.domain import Discussion


async def discussion_under(work: Work, device_id: str, key: str) -> Discussion | None:
    """The discussion that a device claimed with this key, locked."""
    return await _lock_one(work, Discussion.device_id == device_id, Discussion.idempotency_key == key)


async def lock_discussion(work: Work, discussion_id: str) -> Discussion | None:
    """A discussion, unchanged by others until the transaction ends."""
    return await _lock_one(work, Discussion.discussion_id == discussion_id)


async def discussion_behind(work: Work, token_sha256: str) -> Discussion | None:
    """The discussion that a run's token is for."""
    return (await work.session.exec(select(Discussion).where(Discussion.token_sha256 == token_sha256))).one_or_none()


async def discussions_of(work: Work, message_id: str) -> Sequence[Discussion]:
    """Every discussion of a message, locked."""
    return await _lock(work, Discussion.message_id == message_id)


async def live_discussions(
    work: Work, *, device_id: str | None = None, agent_id: str | None = None
) -> Sequence[Discussion]:
    """The discussions of a device or of an agent that have not ended, locked."""
    whose = Discussion.device_id == device_id if agent_id is None else Discussion.agent_id == agent_id
    return await _lock(work, whose, col(Discussion.ended_at).is_(None))


async def add_discussion(work: Work, discussion: Discussion) -> None:
    """Store a claim after the ends of former ones: a message has at most one live."""
    await work.session.flush()
    work.session.add(discussion)


async def _lock_one(work: Work, *conditions: ColumnElement[bool] | bool) -> Discussion | None:
    found = await _lock(work, *conditions)
    return found[0] if found else None


async def _lock(work: Work, *conditions: ColumnElement[bool] | bool) -> Sequence[Discussion]:
    query = select(Discussion).where(*conditions).order_by(Discussion.discussion_id).with_for_update()
    return (await work.session.exec(query)).all()
