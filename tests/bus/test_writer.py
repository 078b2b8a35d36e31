"""What is written to Redis leaves in pipelines, and nobody waits for an answer for ever."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis
from redis.exceptions import ConnectionError, ReadOnlyError, ResponseError

from libs.bus import connection
from libs.bus.connection import Writer, connect
from libs.runtime.valkey import EmbeddedValkey
from tests.harness import until


@pytest.fixture
async def client(own_valkey: EmbeddedValkey) -> AsyncIterator[Redis]:
    redis = connect(own_valkey.url)
    yield redis
    await redis.aclose()


async def test_answers_come_back_to_their_commands(client: Redis) -> None:
    writer = Writer(client)
    answers = [writer.execute("INCR", "counter") for _ in range(2500)]
    assert await asyncio.gather(*answers) == list(range(1, 2501))


async def test_a_command_that_is_refused_spoils_no_other(client: Redis) -> None:
    writer = Writer(client)
    answers = [writer.execute(*command) for command in (("SET", "a", 1), ("NOSUCH",), ("LPUSH", "a", 1), ("GET", "a"))]
    said = await asyncio.gather(*answers, return_exceptions=True)
    assert [type(one) for one in said[1:3]] == [ResponseError, ResponseError]
    assert said[3] == b"1"


async def test_a_command_that_cannot_be_sent_spoils_only_its_pipeline(client: Redis) -> None:
    writer = Writer(client)
    with pytest.raises(Exception, match="Invalid input of type"):
        await writer.execute("SET", "a", object())
    assert await writer.execute("INCR", "a") == 1


async def test_a_command_whose_caller_left_is_not_sent(client: Redis, own_valkey: EmbeddedValkey) -> None:
    """R41: a command that was given up while Redis was away must not be carried out afterwards."""
    writer = Writer(client)
    await writer.execute("SET", "a", 0)
    assert own_valkey.process is not None
    own_valkey.process.send_signal(signal.SIGSTOP)
    on_the_wire = writer.execute("INCR", "a")
    await until(lambda: not writer._waiting)
    left, stayed = writer.execute("INCRBY", "a", 10), writer.execute("INCRBY", "a", 100)
    left.cancel()
    own_valkey.process.send_signal(signal.SIGCONT)
    assert (await on_the_wire, await stayed) == (1, 101)
    await writer.drain()
    assert await client.get("a") == b"101"


async def test_a_caller_that_leaves_takes_nobody_along(client: Redis) -> None:
    writer = Writer(client)
    first, second = writer.execute("INCR", "a"), writer.execute("INCR", "a")
    await asyncio.sleep(0)
    first.cancel()
    assert await second in (1, 2)
    await writer.drain()
    assert await writer.execute("INCR", "b") == 1


async def test_what_redis_does_not_take_is_held_in_bounds(
    client: Redis, own_valkey: EmbeddedValkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "WAITING_AT_MOST", 10)
    writer = Writer(client)
    assert own_valkey.process is not None
    own_valkey.process.send_signal(signal.SIGSTOP)
    for _ in range(1000):
        writer.tell("INCR", "a")
    with pytest.raises(ConnectionError):
        await writer.execute("INCR", "a")
    own_valkey.process.send_signal(signal.SIGCONT)
    await writer.drain()
    assert await client.get("a") == b"10"


async def test_a_redis_that_stays_away_is_an_error_in_the_end(
    own_valkey: EmbeddedValkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    impatient = connection.connection_settings(1)
    monkeypatch.setattr(connection, "connection_settings", lambda: impatient)
    client = connect(own_valkey.url)
    writer = Writer(client)
    own_valkey.kill()
    answers = [writer.execute("INCR", "a") for _ in range(3)]
    said = await asyncio.gather(*answers, return_exceptions=True)
    assert [type(one) for one in said] == [ConnectionError] * 3
    writer.tell("INCR", "a")
    await writer.drain()
    own_valkey.start()
    assert await writer.execute("INCR", "a") == 1
    await client.aclose()


async def test_a_write_waits_for_a_failover_to_end(client: Redis) -> None:
    writer = Writer(client)
    await writer.execute("SET", "a", 1)
    await client.execute_command("REPLICAOF", "127.0.0.1", "1")
    writing = writer.execute("INCR", "a")
    await asyncio.wait([writing], timeout=0.1)
    assert not writing.done()
    await client.execute_command("REPLICAOF", "NO", "ONE")
    assert await writing == 2


async def test_a_failover_that_does_not_end_is_an_error(client: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "FAILOVER_TRIES", 2)
    monkeypatch.setattr(connection, "FAILOVER_PAUSE_SECONDS", 0.01)
    await client.execute_command("REPLICAOF", "127.0.0.1", "1")
    with pytest.raises(ReadOnlyError):
        await Writer(client).execute("INCR", "a")
