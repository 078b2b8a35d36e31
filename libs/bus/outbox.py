"""The outbox: events are rows of the transaction first and stream entries afterwards (R42)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, select, update

from libs.bus.envelope import Happening
from libs.bus.tables import OUTBOX
from libs.contracts.base import Event
from libs.storage import Session, new_id

EVENTS_AT_ONCE = 500


async def store_events(session: Session, events: Sequence[Event], now: datetime) -> list[Happening]:
    """Write the events of a transaction; they are published after its commit."""
    happenings = [Happening(new_id("evt"), event) for event in events]
    rows = [
        {"event_id": item.event_id, "event": item.event.type_name, "body": item.event.wire(), "created_at": now}
        for item in happenings
    ]
    await session.execute(OUTBOX.insert(), rows)
    return happenings


Announced = dict[str, type[Event]]
"""The kinds of events that a service announces, by name; rows of other kinds are left alone (R47)."""


async def unsent_events(session: Session, announced: Announced, before: datetime) -> list[Happening]:
    """Events whose publishing failed or never came about, oldest first: some of them."""
    return await _some(session, announced, OUTBOX.c.sent_at.is_(None), OUTBOX.c.created_at <= before)


async def events_since(session: Session, announced: Announced, since: datetime, after: str) -> list[Happening]:
    """Events announced since, sent or not, that come after an event id: some of them."""
    return await _some(session, announced, OUTBOX.c.created_at > since, OUTBOX.c.event_id > after)


async def _some(session: Session, announced: Announced, *wanted: ColumnElement[bool]) -> list[Happening]:
    query = select(OUTBOX).where(OUTBOX.c.event.in_(announced), *wanted)
    rows = (await session.execute(query.order_by(OUTBOX.c.event_id).limit(EVENTS_AT_ONCE))).all()
    return [Happening(row.event_id, announced[row.event].model_validate(row.body)) for row in rows]


async def mark_sent(session: Session, event_ids: Sequence[str], now: datetime) -> None:
    """Note that events are on their stream."""
    for start in range(0, len(event_ids), EVENTS_AT_ONCE):
        some = OUTBOX.c.event_id.in_(event_ids[start : start + EVENTS_AT_ONCE])
        await session.execute(update(OUTBOX).where(some).values(sent_at=now))
