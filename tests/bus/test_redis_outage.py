"""R41, R44: a Redis that is away for seconds, full, or failing over is ridden out."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import orjson
import pytest
from redis.asyncio import Redis

from libs.bus import streams
from libs.bus.connection import connect
from libs.bus.envelope import FIELD
from libs.contracts.errors import Unavailable
from libs.runtime.valkey import EmbeddedValkey
from tests.bus.parcels import SEEN, Count, CountParcels, SendParcel
from tests.bus.running import asking, running_parcels
from tests.harness import Hub, until


@pytest.fixture
async def parcels(own_valkey: EmbeddedValkey, tmp_path: Path) -> AsyncIterator[Hub]:
    SEEN.clear()
    async with running_parcels(own_valkey.url, tmp_path) as hub:
        await hub.ask(SendParcel(label="before"))
        yield hub


@pytest.fixture
async def client(own_valkey: EmbeddedValkey) -> AsyncIterator[Redis]:
    redis = connect(own_valkey.url)
    yield redis
    await redis.aclose()


@pytest.mark.parametrize("seconds", [0.3, 1.5, 4.0])
async def test_a_restart_of_seconds_is_noticed_by_no_caller(
    parcels: Hub, own_valkey: EmbeddedValkey, seconds: float
) -> None:
    """Each command is answered, and carried out once."""
    async with asking(parcels) as answers:
        own_valkey.kill()
        await asyncio.sleep(seconds)
        await asyncio.to_thread(own_valkey.start)
    assert {answer.count for answer in answers} == {1}


async def test_a_pause_is_noticed_by_no_caller(parcels: Hub, own_valkey: EmbeddedValkey) -> None:
    assert own_valkey.process is not None
    async with asking(parcels) as answers:
        own_valkey.process.send_signal(signal.SIGSTOP)
        await asyncio.sleep(1.5)
        own_valkey.process.send_signal(signal.SIGCONT)
    assert {answer.count for answer in answers} == {1}


async def test_a_failover_is_noticed_by_no_caller(parcels: Hub, client: Redis) -> None:
    async with asking(parcels) as answers:
        await client.execute_command("REPLICAOF", "127.0.0.1", "1")
        await asyncio.sleep(0.5)
        await client.execute_command("REPLICAOF", "NO", "ONE")
    assert {answer.count for answer in answers} == {1}
    assert parcels.services["parcels"].bus.healthy


async def test_a_redis_that_stays_away_is_told_to_the_caller_in_time(
    own_valkey: EmbeddedValkey, tmp_path: Path
) -> None:
    async with running_parcels(own_valkey.url, tmp_path, command_deadline_seconds=0.5) as hub:
        await hub.ask(SendParcel(label="before"))
        own_valkey.kill()
        asks = [hub.ask(SendParcel(label="meanwhile")) for _ in range(100)]
        said = await asyncio.gather(*asks, return_exceptions=True)
        assert {type(one) for one in said} == {Unavailable}
        assert not hub.asker._waiting
        await asyncio.to_thread(own_valkey.start)
        await until(lambda: _answered(hub))
        assert (await hub.ask(CountParcels(label="meanwhile"))).count == 0


async def test_a_full_redis_is_told_to_the_caller_and_everything_goes_on_once_there_is_room(
    parcels: Hub, client: Redis
) -> None:
    await client.config_set("maxmemory", 1)
    with pytest.raises(Unavailable, match="same idempotency_key"):
        await parcels.ask(SendParcel(label="full"))
    await client.config_set("maxmemory", 0)
    assert await parcels.ask(SendParcel(label="room")) == Count(count=1)
    assert parcels.services["parcels"].bus.healthy


async def test_wake_ups_that_redis_did_not_take_are_made_good_however_long_it_took(parcels: Hub, client: Redis) -> None:
    """R22, R23: an entry that a timer wrote meanwhile would else wait for the end of its wait."""
    bus = parcels.services["parcels"].bus
    await until(lambda: bus._publisher._woken_until)
    await client.config_set("maxmemory", 1)
    async with bus.executor.begin() as work:
        work.deliver("bob/codex", "parcel", None, {})
    await bus._publisher.drain()
    parcels.clock.advance(600)
    with pytest.raises(Exception, match="maxmemory"):
        await bus._publisher.sweep(bus.executor)
    await client.config_set("maxmemory", 0)
    await until(lambda: _woken(client, ["bob/codex", 1]))


async def _answered(hub: Hub) -> bool:
    try:
        return bool(await hub.ask(SendParcel(label="again")))
    except Unavailable:
        return False


async def _woken(client: Redis, wanted: list[object]) -> bool:
    entries = await client.xrange(streams.updates("parcels"))
    return any(wanted == told[:2] for _, fields in entries for told in orjson.loads(fields[FIELD]))
