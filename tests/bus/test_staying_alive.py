"""What a service does about its own lanes: revive them, not be held up by one command, and leave in order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from libs.bus import lane, reading, streams
from libs.bus.bus import ServiceBus
from libs.bus.envelope import FIELD, Order
from libs.runtime.valkey import EmbeddedValkey
from libs.storage import new_id
from tests.bus.parcels import SEEN, TICKS, Count, CountParcels, SendInBulk, SendParcel
from tests.bus.running import held, replica, running_parcels
from tests.harness import Hub, caller, until

COMMANDS, EVENTS = streams.commands("parcels"), streams.events("parcels")


@pytest.fixture
async def parcels(own_valkey: EmbeddedValkey, tmp_path: Path) -> AsyncIterator[Hub]:
    """Nothing is sent again within the time of a test."""
    SEEN.clear()
    async with running_parcels(
        own_valkey.url, tmp_path, resend_after_seconds=60.0, command_deadline_seconds=90.0
    ) as hub:
        yield hub


def bus(hub: Hub) -> ServiceBus:
    return hub.services["parcels"].bus


async def test_a_lane_that_faststream_gave_up_is_noticed_and_revived(parcels: Hub) -> None:
    """It stops reading for good when its group is gone; its own health check would stay green."""
    assert bus(parcels).healthy
    for stream in (COMMANDS, EVENTS):
        await bus(parcels).client.xgroup_destroy(stream, "parcels")
    await until(lambda: not bus(parcels).healthy)
    await until(lambda: bus(parcels).healthy)
    assert await parcels.ask(SendParcel(label="after")) == Count(count=1)
    await until(lambda: "after" in SEEN)


async def test_what_was_sent_while_a_lane_was_dead_is_answered(parcels: Hub) -> None:
    await bus(parcels).client.delete(COMMANDS)
    assert await parcels.ask(SendParcel(label="meanwhile")) == Count(count=1)


async def test_a_slow_command_holds_up_no_other(parcels: Hub) -> None:
    with held("slow") as slow:
        waiting = asyncio.create_task(parcels.ask(CountParcels(label="slow")))
        await slow.begun.wait()
        for number in range(3):
            assert await parcels.ask(SendParcel(label=f"quick-{number}")) == Count(count=1)
        assert not waiting.done()
        slow.released.set()
        assert await waiting == Count(count=0)


async def test_slow_commands_are_begun_within_bounds(parcels: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    """R45: what a service has not begun stays in the stream, where another replica may take it."""
    monkeypatch.setattr(lane, "BATCHES_AT_ONCE", 3)
    with ExitStack() as stack:
        asking = []
        for label in ("slow-1", "slow-2", "slow-3"):
            slow = stack.enter_context(held(label))
            asking.append(asyncio.create_task(parcels.ask(CountParcels(label=label))))
            await slow.begun.wait()
        asking.append(asyncio.create_task(parcels.ask(CountParcels(label="late"))))
        await until(lambda: _unread(parcels))
    assert await asyncio.gather(*asking) == [Count(count=0)] * 4


async def _unread(hub: Hub) -> bool:
    (group,) = await bus(hub).client.xinfo_groups(COMMANDS)
    return group["lag"] == 1


async def test_stopping_answers_what_was_begun_and_what_was_read(parcels: Hub) -> None:
    client, running = bus(parcels).client, parcels.services.pop("parcels")
    with held("begun") as begun:
        asking = [asyncio.create_task(parcels.ask(SendParcel(label="begun")))]
        await begun.begun.wait()
        consumer = running.bus._commands[0]._consumer
        order = Order(new_id("cmd"), SendParcel(label="read"), caller("ann"), reply_to=parcels.follower.reply_stream)
        asking.append(asyncio.create_task(parcels.asker.send(order)))  # type: ignore[arg-type]
        await until(lambda: _sent(client, 2))
        await client.xreadgroup("parcels", consumer, {COMMANDS: ">"})
        stopping = asyncio.create_task(running.stop())
        await until(lambda: not running.bus._broker.running)
        begun.released.set()
        await stopping
    assert await asking[0] == Count(count=1)
    assert (await asking[1]).problem is None  # type: ignore[attr-defined]


async def _sent(client: Redis, count: int) -> bool:
    return bool(await client.xlen(COMMANDS) == count)


async def test_a_replica_that_leaves_is_noticed_by_no_caller(
    request: pytest.FixtureRequest, own_valkey: EmbeddedValkey, tmp_path: Path
) -> None:
    url = await request.getfixturevalue("postgres").new_database()
    settings: dict[str, Any] = {"database_url": url, "resend_after_seconds": 60.0, "command_deadline_seconds": 90.0}
    async with running_parcels(own_valkey.url, tmp_path, **settings) as hub:
        asking: list[asyncio.Task[Count]] = []
        for number in range(3):
            async with replica(hub):
                kind = SendInBulk if number % 2 else SendParcel
                asking += [asyncio.create_task(hub.ask(kind(label=f"{number}-{each}"))) for each in range(30)]
                await until(lambda asking=asking: any(task.done() for task in asking[-30:]))
        assert {answer.count for answer in await asyncio.gather(*asking)} == {1}


async def test_consumers_of_processes_that_are_gone_are_forgotten(
    parcels: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless they left something, which is taken up first."""
    client = bus(parcels).client
    await client.xgroup_create("stream", "group", mkstream=True)
    await client.xadd("stream", {FIELD: b""})
    await client.xreadgroup("group", "left something", {"stream": ">"})
    for name in ("gone", "gone too"):
        await client.xgroup_createconsumer("stream", "group", name)
    await reading.forget_consumers(client, "stream", "group")
    assert len(await client.xinfo_consumers("stream", "group")) == 3
    monkeypatch.setattr(reading, "GONE_MS", -1)
    await reading.forget_consumers(client, "stream", "group")
    assert [one["name"] for one in await client.xinfo_consumers("stream", "group")] == [b"left something"]


async def test_timers_run_by_the_clock_of_the_service(parcels: Hub) -> None:
    before = len(TICKS)
    await parcels.tick("parcels")
    assert TICKS[before:] == ["tick"]
