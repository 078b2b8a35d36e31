"""What is dropped when its time is over: a little at once, so that no command waits long behind the cleaning."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import Column, ColumnElement, CursorResult, Select, Table, delete, func, select, update

from libs.bus.execution import Executor
from libs.bus.tables import ANSWERS, ENTRIES, MAILBOXES, OUTBOX, POSITIONS
from libs.storage import Session

ROWS_AT_ONCE = 500
MAILBOXES_AT_ONCE = 5


async def clean(executor: Executor) -> None:
    """Drop expired answers (R40), events sent a day ago (R42) and old mailbox entries (R26)."""
    sent_before = executor.clock() - timedelta(seconds=executor.policy.outbox_kept_seconds)
    await _drop(executor, ANSWERS, ANSWERS.c.key, ANSWERS.c.expires_at <= executor.clock())
    await _drop(executor, OUTBOX, OUTBOX.c.event_id, OUTBOX.c.sent_at < sent_before)
    old = await _old_entries(executor)
    for start in range(0, len(old), MAILBOXES_AT_ONCE):
        async with executor.database.write() as session:
            await _forget_entries(session, old[start : start + MAILBOXES_AT_ONCE])


async def _drop(executor: Executor, table: Table, key: Column[Any], old: ColumnElement[bool]) -> None:
    some = delete(table).where(key.in_(select(key).where(old).limit(ROWS_AT_ONCE)))
    dropped = ROWS_AT_ONCE
    while dropped == ROWS_AT_ONCE:
        async with executor.database.write() as session:
            result = await session.execute(some)
            assert isinstance(result, CursorResult)
            dropped = result.rowcount


async def _old_entries(executor: Executor) -> list[tuple[str, int]]:
    """Per mailbox the newest entry that was acknowledged and is a day old, or is a month old."""
    policy, now = executor.policy, executor.clock()
    month_ago = now - timedelta(seconds=policy.entries_kept_seconds)
    month_old = select(ENTRIES.c.recipient, ENTRIES.c.number).where(ENTRIES.c.at < month_ago)
    acknowledged = _acknowledged().where(ENTRIES.c.at < now - timedelta(seconds=policy.acknowledged_kept_seconds))
    newest: dict[str, int] = {}
    async with executor.database.read() as session:
        for query in (month_old, acknowledged):
            for recipient, number in (await session.execute(query)).all():
                newest[recipient] = max(number, newest.get(recipient, 0))
    return sorted(newest.items())


def _acknowledged() -> Select[str, int]:
    """An entry is acknowledged when every tool that its recipient waits with is past it."""
    tools = select(POSITIONS.c.recipient, func.min(POSITIONS.c.number).label("number"))
    passed = tools.group_by(POSITIONS.c.recipient).cte("passed")
    kept = (ENTRIES.c.recipient == MAILBOXES.c.recipient) & (ENTRIES.c.number > MAILBOXES.c.floor)
    return (
        select(ENTRIES.c.recipient, func.max(ENTRIES.c.number))
        .join(MAILBOXES, kept)
        .join(passed, (passed.c.recipient == MAILBOXES.c.recipient) & (ENTRIES.c.number <= passed.c.number))
        .group_by(ENTRIES.c.recipient)
    )


async def _forget_entries(session: Session, old: Sequence[tuple[str, int]]) -> None:
    for recipient, newest in old:
        floor = update(MAILBOXES).where(MAILBOXES.c.recipient == recipient, MAILBOXES.c.floor < newest)
        await session.execute(floor.values(floor=newest))
        await session.execute(delete(ENTRIES).where(ENTRIES.c.recipient == recipient, ENTRIES.c.number <= newest))
