"""R22, R23: what one gateway process hears of replies and wake-ups."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import orjson
import pytest
from redis.asyncio import Redis

from libs.bus import streams
from libs.bus.connection import connect
from libs.bus.envelope import FIELD
from libs.bus.following import Follower
from libs.runtime.valkey import EmbeddedValkey
from tests.harness import until

UPDATES = streams.updates("rooms")


@dataclass
class Heard:
    """What a follower handed on."""

    replies: list[bytes] = field(default_factory=list)
    wakes: list[tuple[str, str, int]] = field(default_factory=list)
    riders: list[list[Any]] = field(default_factory=list)

    def follower(self, client: Redis) -> Follower:
        return Follower(client, "here", self.replies.append, self.wake)

    def wake(self, recipient: str, service: str, number: int, entries: list[Any]) -> None:
        self.wakes.append((recipient, service, number))
        self.riders.append(entries)


@pytest.fixture
async def client(own_valkey: EmbeddedValkey) -> AsyncIterator[Redis]:
    redis = connect(own_valkey.url)
    yield redis
    await redis.aclose()


@pytest.fixture
async def heard(client: Redis) -> AsyncIterator[Heard]:
    """What is heard from now on, of one that followed a wake-up before."""
    heard = Heard()
    await wake(client, "ann/codex", 1)
    follower = heard.follower(client)
    await follower.start()
    yield heard
    await follower.stop()
    assert not await client.exists(follower.reply_stream)


async def wake(client: Redis, *told: Any) -> None:
    recipient, number = told
    await client.xadd(UPDATES, {FIELD: orjson.dumps([[recipient, number]])})


async def test_a_wake_up_is_handed_on_and_older_ones_are_not(client: Redis, heard: Heard) -> None:
    await wake(client, "ann/codex", 2)
    await until(lambda: heard.wakes == [("ann/codex", "rooms", 2)])


async def test_entries_ride_along_and_fields_of_later_releases_are_passed_over(client: Redis, heard: Heard) -> None:
    """R47."""
    await client.xadd(UPDATES, {FIELD: orjson.dumps([["ann/codex", 2, [{"number": 2}], "later"]])})
    await until(lambda: heard.wakes == [("ann/codex", "rooms", 2)])
    assert heard.riders == [[{"number": 2}]]


async def test_every_service_with_mailboxes_is_heard(client: Redis, heard: Heard) -> None:
    services = {"rooms", "tasks", "pulse"}
    for service in services:
        await client.xadd(streams.updates(service), {FIELD: orjson.dumps([["ann/codex", 1]])})
    await until(lambda: {service for _, service, _ in heard.wakes} == services)


async def test_an_entry_that_is_not_understood_stops_nobody(client: Redis, heard: Heard) -> None:
    for data in (b"", b"{}", b"[[1]]", b"[null]", b"\xff"):
        await client.xadd(UPDATES, {FIELD: data})
    await client.xadd(UPDATES, {b"other": b"field"})
    await wake(client, "ann/codex", 2)
    await until(lambda: heard.wakes == [("ann/codex", "rooms", 2)])


async def test_replies_are_handed_on(client: Redis, heard: Heard) -> None:
    for data in (b"one", b"two"):
        await client.xadd(streams.replies("here"), {FIELD: data})
    await until(lambda: heard.replies == [b"one", b"two"])


async def test_what_was_written_during_a_cut_is_heard_afterwards(
    client: Redis, heard: Heard, own_valkey: EmbeddedValkey
) -> None:
    await wake(client, "ann/codex", 2)
    await until(lambda: len(heard.wakes) == 1)
    own_valkey.kill()
    await asyncio.to_thread(own_valkey.start)
    await wake(client, "ann/codex", 3)
    await until(lambda: heard.wakes == [("ann/codex", "rooms", 2), ("ann/codex", "rooms", 3)])


async def test_starting_over_hears_everything_that_is_there(client: Redis) -> None:
    """R43: with other data, the ids that were seen mean nothing; what a read under way brings may come twice."""
    heard = Heard()
    await client.xadd(UPDATES, {FIELD: orjson.dumps([["ann/codex", 1]])}, id="9999999999999-0")
    follower = heard.follower(client)
    await follower.start()
    await client.flushall()
    await wake(client, "ann/codex", 1)
    await follower.start_over()
    await client.xadd(follower.reply_stream, {FIELD: b"reply"})
    await until(lambda: set(heard.wakes) == {("ann/codex", "rooms", 1)})
    await until(lambda: set(heard.replies) == {b"reply"})
    await follower.stop()


async def test_a_beat_keeps_the_reply_stream_and_makes_it_again(client: Redis) -> None:
    heard = Heard()
    follower = heard.follower(client)
    await follower.start()
    await client.persist(follower.reply_stream)
    await follower.beat()
    assert 0 < await client.ttl(follower.reply_stream) <= 120
    await client.delete(follower.reply_stream)
    await follower.beat()
    await client.xadd(follower.reply_stream, {FIELD: b"reply"}, nomkstream=True)
    await until(lambda: heard.replies == [b"reply"])
    await follower.stop()


async def test_a_follower_runs_until_it_is_stopped(client: Redis) -> None:
    follower = Heard().follower(client)
    assert not follower.running
    await follower.start()
    assert follower.running
    await follower.stop()
    assert not follower.running
