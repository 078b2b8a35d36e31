"""Mailboxes: entries numbered without gaps in commit order, read from a position, kept until acknowledged."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

import orjson
from sqlalchemy import RowMapping, Select, bindparam, func, or_, select

from libs.bus.tables import ENTRIES, MAILBOXES
from libs.bus.work import Delivery, Work
from libs.contracts.errors import BadCursor
from libs.contracts.mailbox import Entry, MailboxPage, ReadMailbox
from libs.storage import Session, dialect_of, insert_in

PAGE_BYTES = 56 * 1024
RIDING_BYTES = 2048
NO_RIDERS = b"[]"
INSERT_ENTRIES = ENTRIES.insert()
WITHDRAW = ENTRIES.delete().where(ENTRIES.c.recipient == bindparam("of"), ENTRIES.c.number == bindparam("numbered"))
BOUNDS = select(MAILBOXES.c.last, MAILBOXES.c.floor).where(MAILBOXES.c.recipient == bindparam("recipient"))


class WakeUp(NamedTuple):
    """What a recipient's waits are told."""

    recipient: str
    number: int
    """That of the recipient's newest entry."""
    entries: bytes = NO_RIDERS
    """The new entries as JSON where they are small; who has read all before them need not read these."""


async def number_and_store(session: Session, deliveries: Sequence[Delivery], now: datetime) -> list[WakeUp]:
    """Number the transaction's deliveries and insert them (R19): all counters in one sorted upsert."""
    counts = Counter(delivery.recipient for delivery in deliveries)
    last = await _count_up(session, counts)
    upcoming = {recipient: last[recipient] - counts[recipient] for recipient in counts}
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for delivery in deliveries:
        upcoming[delivery.recipient] += 1
        rows[delivery.recipient].append(_row(delivery, upcoming[delivery.recipient], now))
    await session.execute(INSERT_ENTRIES, [row for mine in rows.values() for row in mine])
    return [WakeUp(recipient, number, _riding(rows[recipient])) for recipient, number in last.items()]


def _riding(rows: Sequence[dict[str, Any]]) -> bytes:
    entries = orjson.dumps([{name: row[name] for name in Entry.model_fields} for row in rows])
    return entries if len(entries) <= RIDING_BYTES else NO_RIDERS


async def _count_up(session: Session, counts: Counter[str]) -> dict[str, int]:
    rows = [{"recipient": recipient, "last": counts[recipient]} for recipient in sorted(counts)]
    counted = await session.execute(_counting(dialect_of(session)), rows)
    return {row.recipient: row.last for row in counted.all()}


@cache
def _counting(dialect: str) -> Any:
    insert = insert_in(dialect, MAILBOXES)
    further = {"last": MAILBOXES.c.last + insert.excluded.last}
    upsert = insert.on_conflict_do_update(index_elements=["recipient"], set_=further)
    return upsert.returning(MAILBOXES.c.recipient, MAILBOXES.c.last)


def _row(delivery: Delivery, number: int, now: datetime) -> dict[str, Any]:
    return {
        "recipient": delivery.recipient,
        "number": number,
        "kind": delivery.kind,
        "project": delivery.project,
        "task_id": _task_of(delivery.body),
        "at": now,
        "body": delivery.body,
    }


def _task_of(body: dict[str, Any]) -> str | None:
    """The task that an entry concerns: each of its objects names it if it concerns one."""
    return next((thing["task_id"] for thing in body.values() if isinstance(thing, dict) and thing.get("task_id")), None)


async def read_mailbox(query: ReadMailbox, work: Work) -> MailboxPage:
    """Answer a service's `Read…Mailbox`: the entries after the asked or remembered position (R20, R21, R26)."""
    last, floor = await _bounds(query.recipient, work)
    if query.after is not None and query.after > last:
        raise BadCursor("Leave the cursor out to start at what you have not seen.", field="cursor")
    if query.after is not None and query.acknowledged:
        work.positions.remember(query.recipient, query.tool, query.after)
    after = query.after
    if after is None:
        after = await work.positions.remembered(work.session, query.recipient, query.tool)
    rows = await _entries(query, after, work)
    entries = _fitting(rows[: query.limit])
    more = len(entries) < len(rows)
    shown = entries[-1].number if entries else after
    return MailboxPage(
        entries=entries, start=after, position=shown if more else max(last, shown), more=more, resync=after < floor
    )


async def _entries(query: ReadMailbox, after: int, work: Work) -> Sequence[RowMapping]:
    """What matches the query, with one entry more than it asks for if there is one."""
    filters = {
        "kinds": query.kinds,
        "project": query.project,
        "task_id": query.task_id,
        "projects": query.projects,
    }
    statement = _matching(*(given is not None for given in filters.values()))
    wanted = {"recipient": query.recipient, "start": after, "most": query.limit + 1}
    rows: Sequence[RowMapping] = (await work.session.execute(statement, wanted | filters)).mappings().all()
    return rows


async def _bounds(recipient: str, work: Work) -> tuple[int, int]:
    row = (await work.session.execute(BOUNDS, {"recipient": recipient})).one_or_none()
    return (0, 0) if row is None else (row.last, row.floor)


@cache
def _matching(by_kinds: bool, by_project: bool, by_task: bool, by_projects: bool) -> Select[Any]:
    """The entries after a number, prepared once for each combination of filters."""
    wanted = [ENTRIES.c.recipient == bindparam("recipient"), ENTRIES.c.number > bindparam("start")]
    if by_kinds:
        wanted.append(ENTRIES.c.kind.in_(bindparam("kinds", expanding=True)))
    if by_project:
        wanted.append(ENTRIES.c.project == bindparam("project"))
    if by_task:
        wanted.append(ENTRIES.c.task_id == bindparam("task_id"))
    if by_projects:
        here = ENTRIES.c.project.in_(bindparam("projects", expanding=True))
        wanted.append(or_(ENTRIES.c.project.is_(None), here))
    return select(ENTRIES).where(*wanted).order_by(ENTRIES.c.number).limit(bindparam("most"))


def _fitting(rows: Sequence[RowMapping]) -> list[Entry]:
    entries: list[Entry] = []
    room = PAGE_BYTES
    for row in rows:
        room -= len(orjson.dumps(row["body"]))
        if room < 0 and entries:
            break
        entries.append(Entry(**{name: row[name] for name in Entry.model_fields}))
    return entries


async def withdraw(work: Work, at: datetime, concerned: Callable[[dict[str, Any]], bool]) -> None:
    """Take back the entries of a moment with such a body; their numbers are not given out again."""
    of_then = select(ENTRIES.c.recipient, ENTRIES.c.number, ENTRIES.c.body).where(ENTRIES.c.at == at)
    rows = (await work.session.execute(of_then)).all()
    if found := [{"of": row.recipient, "numbered": row.number} for row in rows if concerned(row.body)]:
        await work.session.execute(WITHDRAW, found)


async def recent_wakeups(session: Session, since: datetime, until: datetime) -> list[WakeUp]:
    """Who got entries in a span of time, and the newest number of each."""
    query = (
        select(ENTRIES.c.recipient, func.max(ENTRIES.c.number).label("newest"))
        .where(ENTRIES.c.at > since, ENTRIES.c.at <= until)
        .group_by(ENTRIES.c.recipient)
    )
    return [WakeUp(row.recipient, row.newest) for row in (await session.execute(query)).all()]
