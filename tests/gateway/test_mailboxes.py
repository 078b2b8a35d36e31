"""What a wait takes from several mailboxes: in order, as much as fits, and where each cursor stops (R20)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import orjson
import pytest

from libs.contracts.mailbox import Entry, MailboxPage
from services.gateway.cursors import Positions
from services.gateway.mailboxes import Reading, merge

NOON = datetime(2026, 11, 2, 12, 0, 0, 123456, tzinfo=UTC)
PROJECT = "a" * 39


def page(*entries: Entry, start: int = 0, position: int | None = None) -> MailboxPage:
    """A page that accounts for everything up to `position`."""
    newest = entries[-1].number if entries else start
    return MailboxPage(entries=list(entries), start=start, position=newest if position is None else position)


def entry(number: int, seconds: float, body: str = "") -> Entry:
    """An entry of some second after noon."""
    at = NOON + timedelta(seconds=seconds)
    return Entry(number=number, kind="cancel_requested", project=PROJECT, at=at, body={"task": body})


def numbers(reading: Reading) -> list[int]:
    return [taken.number for taken in reading.entries]


def test_entries_come_in_the_order_of_time_and_of_their_mailbox() -> None:
    """A clock that went back changes no mailbox's own order."""
    rooms = page(entry(1, 3), entry(2, 1), entry(3, 9))
    tasks = page(entry(11, 2), entry(12, 4))
    assert numbers(merge({"rooms": rooms, "tasks": tasks}, 50)) == [11, 1, 2, 12, 3]


@pytest.mark.parametrize(
    ("limit", "positions"),
    [
        (1, Positions(rooms=5, tasks=11)),
        (2, Positions(rooms=6, tasks=11)),
        (3, Positions(rooms=6, tasks=12)),
        (4, Positions(rooms=20, tasks=12)),
        (9, Positions(rooms=20, tasks=12)),
    ],
)
def test_each_position_stops_before_what_the_limit_leaves_out(limit: int, positions: Positions) -> None:
    """What a filter skipped counts as read only once nothing before it is left."""
    rooms = page(entry(6, 2), entry(9, 4), start=5, position=20)
    tasks = page(entry(11, 1), entry(12, 3), start=8)
    assert merge({"rooms": rooms, "tasks": tasks}, limit).positions == positions


def test_a_mailbox_that_is_not_read_keeps_position_zero() -> None:
    assert merge({"rooms": page(entry(6, 1))}, 50).positions == Positions(rooms=6)


@pytest.mark.parametrize("size", [100, 1200, 1228, 1270, 3000, 60_000])
def test_an_answer_keeps_within_64_kib_with_all_that_is_around_its_entries(size: int) -> None:
    rooms = page(*(entry(number, number, "x" * size) for number in range(1, 26)))
    tasks = page(*(entry(number, number, "x" * size) for number in range(1, 26)))
    reading = merge({"rooms": rooms, "tasks": tasks}, 50)
    updates = [
        {"kind": taken.kind, "project": taken.project, "at": taken.wire()["at"], **taken.body}
        for taken in reading.entries
    ]
    answer = {"updates": updates, "next_cursor": "c" * 200, "timed_out": False, "effective_timeout_seconds": 50}
    assert updates
    assert len(orjson.dumps({**answer, "resync": True, "retry_after_seconds": 30})) <= 64 * 1024
