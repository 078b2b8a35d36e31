"""R42: events reach their consumer once each, are tried again when it fails, and are put aside in the end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from libs.bus import streams
from libs.bus.envelope import FIELD, Happening
from libs.bus.tables import DEAD_LETTERS, OUTBOX
from libs.runtime.valkey import EmbeddedValkey
from libs.storage import new_id
from tests.bus.parcels import FAILURES, SEEN, Parcel, ParcelSent, SendParcel
from tests.bus.running import replica, running_parcels
from tests.harness import Hub, until

EVENTS = streams.events("parcels")
DAY = 86400.0

pytestmark = pytest.mark.usefixtures("nothing_seen")


@pytest.fixture
async def parcels(own_valkey: EmbeddedValkey, tmp_path: Path) -> AsyncIterator[Hub]:
    async with running_parcels(own_valkey.url, tmp_path, event_retry_seconds=0.1) as hub:
        yield hub


def client(hub: Hub) -> Any:
    return hub.services["parcels"].bus.client


async def rows(hub: Hub, table: Any) -> list[Any]:
    async with hub.services["parcels"].database.read() as session:
        return list((await session.execute(select(table))).all())


async def all_sent(hub: Hub) -> bool:
    return all(row.sent_at is not None for row in await rows(hub, OUTBOX))


async def nothing_pending(hub: Hub) -> bool:
    return (await client(hub).xpending(EVENTS, "parcels"))["pending"] == 0


async def publish(hub: Hub, label: str, event_id: str | None = None) -> None:
    data = await Happening(event_id or new_id("evt"), ParcelSent(label=label)).encode()
    await client(hub).xadd(EVENTS, {FIELD: data})


async def test_an_event_leaves_after_its_commit_and_is_marked_as_sent(parcels: Hub) -> None:
    await parcels.ask(SendParcel(label="sent"))
    await until(lambda: SEEN == ["sent"])
    await until(lambda: all_sent(parcels))
    assert await nothing_pending(parcels)


async def test_an_event_of_a_refused_or_crashed_command_never_leaves(parcels: Hub) -> None:
    for label in ("refused", "crash"):
        await asyncio.gather(parcels.ask(SendParcel(label=label)), return_exceptions=True)
    assert await rows(parcels, OUTBOX) == []
    assert await client(parcels).xlen(EVENTS) == 0


async def test_an_event_whose_publishing_fails_is_published_by_the_sweep(parcels: Hub) -> None:
    """Redis is full: commands that free memory work, those that need some do not."""
    await parcels.ask(SendParcel(label="before"))
    await until(lambda: SEEN == ["before"])
    await client(parcels).config_set("maxmemory", 1)
    async with parcels.services["parcels"].bus.executor.begin() as work:
        work.session.add(Parcel(label="full", command_id=""))
        work.announce(ParcelSent(label="full"))
    parcels.clock.advance(3)
    publisher = parcels.services["parcels"].bus._publisher
    await publisher.drain()
    assert SEEN == ["before"]
    await client(parcels).config_set("maxmemory", 0)
    await until(lambda: SEEN == ["before", "full"])


async def test_an_event_that_fails_is_tried_again(parcels: Hub) -> None:
    FAILURES["flaky"] = 3
    await parcels.ask(SendParcel(label="flaky"))
    await until(lambda: SEEN == ["flaky"])
    await until(lambda: nothing_pending(parcels))
    assert await rows(parcels, DEAD_LETTERS) == []


async def test_an_event_that_keeps_failing_becomes_a_dead_letter(parcels: Hub) -> None:
    FAILURES["broken"] = 1000
    await parcels.ask(SendParcel(label="broken"))
    (letter,) = await until(lambda: rows(parcels, DEAD_LETTERS))
    assert (letter.event, letter.body, letter.error) == ("parcel_sent", {"label": "broken"}, "RuntimeError")
    assert letter.deliveries == 5 == 1000 - FAILURES["broken"]
    assert letter.died_at == parcels.clock.now
    await until(lambda: nothing_pending(parcels))


async def test_a_dead_letter_holds_nobody_up(parcels: Hub) -> None:
    FAILURES["broken"] = 1000
    await parcels.ask(SendParcel(label="broken"))
    for number in range(3):
        await parcels.ask(SendParcel(label=f"next-{number}"))
    await until(lambda: SEEN == ["next-0", "next-1", "next-2"])
    await until(lambda: rows(parcels, DEAD_LETTERS))
    await parcels.ask(SendParcel(label="after"))
    await until(lambda: "after" in SEEN)


async def test_an_event_that_a_dead_process_had_read_is_taken_up(parcels: Hub) -> None:
    lane = parcels.services["parcels"].bus._events[0]
    await lane.subscriber.stop()
    await publish(parcels, "orphan")
    await client(parcels).xreadgroup("parcels", "dead", {EVENTS: ">"})
    await lane.subscriber.start()
    await until(lambda: SEEN == ["orphan"])
    await until(lambda: nothing_pending(parcels))


async def test_an_event_that_comes_again_changes_nothing(parcels: Hub) -> None:
    event_id = new_id("evt")
    for _ in range(3):
        await publish(parcels, "again", event_id)
    await publish(parcels, "last")
    await until(lambda: "last" in SEEN)
    assert SEEN == ["again", "last"]


@pytest.mark.parametrize("data", [b"", b"{}", b"\x00" * 100])
async def test_an_entry_that_is_no_event_is_dropped_and_stops_nobody(parcels: Hub, data: bytes) -> None:
    await client(parcels).xadd(EVENTS, {FIELD: data})
    await publish(parcels, "next")
    await until(lambda: SEEN == ["next"])
    await until(lambda: nothing_pending(parcels))
    assert await rows(parcels, DEAD_LETTERS) == []


async def test_an_event_of_an_unknown_kind_is_ignored(parcels: Hub) -> None:
    """R47: a newer replica announces what this one does not know."""

    class ParcelLost(ParcelSent, source="elsewhere"):
        pass

    await client(parcels).xadd(EVENTS, {FIELD: await Happening("evt", ParcelLost(label="lost")).encode()})
    await publish(parcels, "next")
    await until(lambda: SEEN == ["next"])
    await until(lambda: nothing_pending(parcels))


async def test_a_sent_event_is_kept_for_a_day(parcels: Hub) -> None:
    bus = parcels.services["parcels"].bus
    await parcels.ask(SendParcel(label="kept"))
    await until(lambda: all_sent(parcels))
    parcels.clock.advance(DAY - 1)
    await bus.clean()
    assert len(await rows(parcels, OUTBOX)) == 1
    parcels.clock.advance(2)
    await bus.clean()
    assert await rows(parcels, OUTBOX) == []


async def test_an_event_that_never_left_is_kept_for_ever(parcels: Hub) -> None:
    bus = parcels.services["parcels"].bus
    async with bus.executor.database.write() as session:
        row = {"event_id": "evt", "event": "unheard_of", "body": {}, "created_at": parcels.clock.now}
        await session.execute(OUTBOX.insert(), [row])
    parcels.clock.advance(30 * DAY)
    await bus.clean()
    await bus._publisher.sweep(bus.executor)
    assert [row.sent_at for row in await rows(parcels, OUTBOX)] == [None]


async def test_replicas_consume_each_event_once(
    request: pytest.FixtureRequest, own_valkey: EmbeddedValkey, tmp_path: Path
) -> None:
    url = await request.getfixturevalue("postgres").new_database()
    async with running_parcels(own_valkey.url, tmp_path, database_url=url) as hub, replica(hub):
        labels = [f"event-{number}" for number in range(60)]
        await asyncio.gather(*(hub.ask(SendParcel(label=label)) for label in labels))
        await until(lambda: set(SEEN) == set(labels))
        await until(lambda: nothing_pending(hub))
        assert sorted(SEEN) == sorted(labels)
        async with hub.services["parcels"].database.read() as session:
            assert (await session.execute(select(func.count()).select_from(OUTBOX))).scalar() == 60
