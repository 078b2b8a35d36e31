"""R41: a command is sent again while its sender waits, and dropped once nobody does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from libs.bus import streams
from libs.bus.connection import connect
from libs.bus.envelope import FIELD, Order
from libs.contracts.errors import LimitExceeded, Unavailable
from libs.contracts.mailbox import ReadRoomsMailbox
from libs.runtime.valkey import EmbeddedValkey
from libs.storage import new_id
from tests.bus.parcels import Count, CountParcels, SendParcel, service
from tests.bus.running import held, running_parcels
from tests.harness import Hub, caller, running_hub, until
from tests.tables import prepare

COMMANDS = streams.commands("parcels")


@pytest.fixture
async def unheard(own_valkey: EmbeddedValkey, tmp_path: Path) -> AsyncIterator[Hub]:
    """A line to a service that does not run yet."""
    settings = {"resend_after_seconds": 0.2, "command_deadline_seconds": 2.0}
    async with running_hub(own_valkey.url, tmp_path, (), **settings) as hub:
        yield hub


async def start_service(hub: Hub) -> None:
    await prepare(service, hub.settings)
    hub.services["parcels"] = await service.start(hub.settings, hub.clock)


async def test_a_command_waits_for_its_service_to_come_up(unheard: Hub) -> None:
    calling = asyncio.create_task(unheard.ask(SendParcel(label="early")))
    client = connect(unheard.settings.redis_url)
    await until(lambda: client.xlen(COMMANDS))
    await start_service(unheard)
    assert await calling == Count(count=1)
    await client.aclose()


async def test_a_lost_command_is_sent_once_more_under_its_id(unheard: Hub) -> None:
    client = connect(unheard.settings.redis_url)
    calling = asyncio.create_task(unheard.ask(SendParcel(label="lost")))
    first_id, first = (await until(lambda: client.xrange(COMMANDS)))[0]
    await client.xdel(COMMANDS, first_id)
    (_, second), *more = await until(lambda: client.xrange(COMMANDS))
    sent, again = (Order.decode(entry[FIELD], first_id, {"send_parcel": SendParcel}) for entry in (first, second))
    assert (again.command_id, again.command, again.asked_ms) == (sent.command_id, sent.command, sent.asked_ms)
    assert not more
    await start_service(unheard)
    assert await calling == Count(count=1)
    await client.aclose()


async def test_a_command_that_took_long_is_handled_once_though_it_was_sent_again(unheard: Hub) -> None:
    await start_service(unheard)
    with held("slow") as handler:
        calling = asyncio.create_task(unheard.ask(SendParcel(label="slow")))
        await handler.begun.wait()
        client = connect(unheard.settings.redis_url)
        await until(lambda: _length_is(client, 2))
        handler.released.set()
        assert await calling == Count(count=1)
    await until(lambda: _length_is(client, 0))
    assert (await unheard.ask(CountParcels(label="slow"))).count == 1
    await client.aclose()


async def test_after_the_deadline_the_caller_is_told_and_the_command_dropped(unheard: Hub) -> None:
    with pytest.raises(Unavailable, match="same idempotency_key") as told:
        await unheard.ask(SendParcel(label="late"))
    assert told.value.data.retry_after_seconds
    client = connect(unheard.settings.redis_url)
    assert await client.xlen(COMMANDS) == 2
    await start_service(unheard)
    await until(lambda: _length_is(client, 0))
    assert (await unheard.ask(CountParcels(label="late"))).count == 0
    await client.aclose()


async def test_a_call_that_goes_away_leaves_nothing_behind(unheard: Hub) -> None:
    calling = [asyncio.create_task(unheard.ask(SendParcel(label="gone"))) for _ in range(10)]
    await until(lambda: len(unheard.asker._waiting) == 10)
    for task in calling:
        task.cancel()
    await asyncio.gather(*calling, return_exceptions=True)
    assert not unheard.asker._waiting


async def test_too_many_calls_of_a_service_are_refused_before_they_are_written(
    own_valkey: EmbeddedValkey, tmp_path: Path
) -> None:
    """R45: another service is asked as ever, and so is this one once it has answered."""
    async with running_hub(own_valkey.url, tmp_path, (), commands_under_way=3, resend_after_seconds=60.0) as hub:
        client = connect(own_valkey.url)
        calls = [asyncio.create_task(hub.ask(SendParcel(label="many"))) for _ in range(5)]
        other = asyncio.create_task(hub.ask(ReadRoomsMailbox(recipient="ann/codex", tool="wait")))
        await until(lambda: client.xlen(streams.commands("rooms")))
        other.cancel()
        for call in calls[3:]:
            with pytest.raises(LimitExceeded) as refused:
                await call
            assert refused.value.data.retry_after_seconds == 1
        assert await client.xlen(COMMANDS) == 3
        await start_service(hub)
        assert [answer.count for answer in await asyncio.gather(*calls[:3])] == [1, 2, 3]
        assert await hub.ask(SendParcel(label="many")) == Count(count=4)
        await client.aclose()


async def test_what_a_dead_process_had_begun_is_forgotten_after_its_deadline(
    own_valkey: EmbeddedValkey, tmp_path: Path
) -> None:
    """The re-send has long been answered by another."""
    settings = {"command_deadline_seconds": 0.5, "event_retry_seconds": 0.2}
    async with running_parcels(own_valkey.url, tmp_path, **settings) as hub:
        client = hub.services["parcels"].bus.client
        lane = hub.services["parcels"].bus._commands[0]
        await lane.subscriber.stop()
        order = Order(new_id("cmd"), SendParcel(label="begun"), caller("ann"))
        await client.xadd(COMMANDS, {FIELD: await order.encode()})
        await client.xreadgroup("parcels", "dead", {COMMANDS: ">"})
        await lane.subscriber.start()
        assert (await client.xpending(COMMANDS, "parcels"))["pending"] == 1
        await until(lambda: _length_is(client, 0))
        assert (await client.xpending(COMMANDS, "parcels"))["pending"] == 0
        assert (await hub.ask(CountParcels(label="begun"))).count == 0


@pytest.mark.parametrize("data", [b"", b"{}", b"\x89BIN\x0d\x0a\x1a\x0a", b"\x00" * 100])
async def test_an_entry_that_is_no_command_stops_nobody(
    own_valkey: EmbeddedValkey, tmp_path: Path, data: bytes
) -> None:
    async with running_parcels(own_valkey.url, tmp_path) as hub:
        client = hub.services["parcels"].bus.client
        await client.xadd(COMMANDS, {FIELD: data, b"other": b"field"})
        await client.xadd(COMMANDS, {b"no": b"data"})
        assert await hub.ask(SendParcel(label="next")) == Count(count=1)
        await until(lambda: _length_is(client, 0))


async def _length_is(client: object, length: int) -> bool:
    return await client.xlen(COMMANDS) == length  # type: ignore[attr-defined]
