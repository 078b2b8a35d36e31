"""R19: each mailbox is numbered 1, 2, 3 … without gaps, in the order of commits, on either database."""

from __future__ import annotations

import asyncio
import random

import orjson
import pytest

from libs.bus.mailbox import RIDING_BYTES, WakeUp, number_and_store
from libs.bus.work import Delivery
from libs.contracts.mailbox import Entry
from tests.bus.post_office import PostOffice, opened_post_office
from tests.databases import one_waits_for_a_lock
from tests.harness import until

WRITERS = 16
ROUNDS = 12


async def test_entries_are_numbered_from_one_in_the_order_they_came(post_office: PostOffice) -> None:
    for label in "abc":
        await post_office.deliver("ann/codex", label=label)
    entries = (await post_office.read()).entries
    assert [(entry.number, entry.body["label"]) for entry in entries] == [(1, "a"), (2, "b"), (3, "c")]


async def test_several_entries_of_one_transaction_follow_each_other(post_office: PostOffice) -> None:
    await post_office.deliver("ann/codex", "bob/codex", "ann/codex")
    assert await post_office.numbers("ann/codex") == [1, 2]
    assert await post_office.numbers("bob/codex") == [1]
    assert sorted(wakeup[:2] for wakeup in post_office.wakeups) == [("ann/codex", 2), ("bob/codex", 1)]


async def test_small_entries_ride_along_with_the_wake_up(post_office: PostOffice) -> None:
    await post_office.deliver("ann/codex", "bob/codex", "ann/codex", label="a")
    riding = {
        wakeup.recipient: [Entry(**entry) for entry in orjson.loads(wakeup.entries)] for wakeup in post_office.wakeups
    }
    assert riding["ann/codex"] == (await post_office.read("ann/codex")).entries
    assert riding["bob/codex"] == (await post_office.read("bob/codex")).entries


async def test_large_entries_do_not_ride_along(post_office: PostOffice) -> None:
    await post_office.deliver("ann/codex", label="x" * RIDING_BYTES)
    assert post_office.wakeups == [WakeUp("ann/codex", 1, b"[]")]


async def test_a_transaction_that_fails_uses_up_no_number_and_wakes_nobody(post_office: PostOffice) -> None:
    async def crash() -> None:
        async with post_office.executor.begin() as work:
            work.deliver("ann/codex", "letter", None, {})
            raise KeyError

    with pytest.raises(KeyError):
        await crash()
    await post_office.deliver("ann/codex")
    assert await post_office.numbers() == [1]
    assert [wakeup[:2] for wakeup in post_office.wakeups] == [("ann/codex", 1)]


async def test_a_thousand_recipients_are_reached_in_one_transaction(post_office: PostOffice) -> None:
    recipients = [f"agent-{number}/codex" for number in range(1200)]
    await post_office.deliver(*recipients)
    await post_office.deliver(*reversed(recipients))
    assert await post_office.numbers("agent-0/codex") == await post_office.numbers("agent-1199/codex") == [1, 2]


async def test_sixteen_writers_at_once_leave_no_gap(post_office: PostOffice) -> None:
    """In mailboxes named in any order, so that counters locked in another order would deadlock."""
    recipients = [f"{name}/codex" for name in ("ann", "bob", "cem", "dee")]

    async def write() -> None:
        for _ in range(ROUNDS):
            await post_office.deliver(*random.sample(recipients, len(recipients)))

    await asyncio.gather(*(write() for _ in range(WRITERS)))
    for recipient in recipients:
        assert await post_office.numbers(recipient, limit=500) == list(range(1, WRITERS * ROUNDS + 1))


async def test_a_reader_that_passes_its_cursor_misses_nothing_while_others_write(post_office: PostOffice) -> None:
    """No page has a gap, and nothing ever appears before a cursor already given."""
    writing = [asyncio.create_task(_write(post_office)) for _ in range(WRITERS)]
    seen: list[int] = []
    while len(seen) < WRITERS * ROUNDS:
        page = await post_office.read(after=seen[-1] if seen else 0, limit=50)
        seen += [entry.number for entry in page.entries]
        assert seen == list(range(1, len(seen) + 1))
        assert page.position == len(seen)
    await asyncio.gather(*writing)
    assert not (await post_office.read(after=len(seen))).entries


async def _write(office: PostOffice) -> None:
    for _ in range(ROUNDS):
        await office.deliver("ann/codex")


async def test_a_later_transaction_waits_for_the_number_of_an_earlier_one(request: pytest.FixtureRequest) -> None:
    """A takes its number and stays open, B would commit first: B waits, so that 2 is never seen before 1."""
    async with opened_post_office(await request.getfixturevalue("postgres").new_database()) as office:
        async with office.executor.database.write() as session:
            delivery = Delivery("ann/codex", "letter", None, {"by": "A"})
            await number_and_store(session, [delivery], office.clock())
            second = asyncio.create_task(office.deliver("ann/codex", by="B"))
            await until(lambda: one_waits_for_a_lock(office.executor.database))
            assert not second.done()
            assert (await office.read(after=0)).position == 0
        await second
        assert [entry.body["by"] for entry in (await office.read(after=0)).entries] == ["A", "B"]
