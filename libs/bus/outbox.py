"""The outbox: events are rows of the transaction first and stream entries afterwards (R42)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from sqlalchemy import select, update

from libs.bus.envelope import Happening
from libs.bus.tables import OUTBOX
from libs.contracts.base import Event
from libs.storage import Session, new_id

SWEPT_AT_ONCE = 200


async def store_events(session: Session, events: Sequence[Event], now: datetime) -> list[Happening]:
    """Write the events of a transaction; they are published after its commit."""
    happenings = [Happening(new_id("evt"), event) for event in events]
    rows = [
        {"event_id": item.event_id, "event": item.event.type_name, "body": item.event.wire(), "created_at": now}
        for item in happenings
    ]
    await session.execute(OUTBOX.insert(), rows)
    return happenings


async def unsent_events(session: Session, announced: dict[str, type[Event]], before: datetime) -> list[Happening]:
    """Events whose publishing failed or never came about, oldest first."""
    query = select(OUTBOX).where(OUTBOX.c.sent_at.is_(None), OUTBOX.c.created_at <= before)
    return _happenings(await session.execute(query.order_by(OUTBOX.c.event_id).limit(SWEPT_AT_ONCE)), announced)


async def recent_events(session: Session, announced: dict[str, type[Event]], since: datetime) -> list[Happening]:
    """Everything announced since, to be published again after Redis lost its data (R43)."""
    query = select(OUTBOX).where(OUTBOX.c.created_at > since).order_by(OUTBOX.c.event_id)
    return _happenings(await session.execute(query), announced)


def _happenings(rows: Iterable[object], announced: dict[str, type[Event]]) -> list[Happening]:
    return [
        Happening(row.event_id, announced[row.event].model_validate(row.body))  # type: ignore[attr-defined]
        for row in rows
        if row.event in announced  # type: ignore[attr-defined]
    ]


async def mark_sent(session: Session, event_ids: Sequence[str], now: datetime) -> None:
    """Note that events are on their stream."""
    await session.execute(update(OUTBOX).where(OUTBOX.c.event_id.in_(event_ids)).values(sent_at=now))
