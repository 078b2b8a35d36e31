"""A Redis that answers but refuses its readers (`NOPERM`, `MISCONF`): they pause, say so once, and are not ready."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from redis.asyncio import Redis
from structlog.testing import capture_logs

from libs.bus.bus import ServiceBus
from libs.bus.following import Follower
from libs.bus.readiness import REDIS_AWAY
from libs.runtime.valkey import EmbeddedValkey
from tests.bus.parcels import SEEN, Count, SendParcel
from tests.bus.running import running_parcels
from tests.harness import Hub, until

Trouble = Callable[[Redis, EmbeddedValkey], Awaitable[None]]
UNREAD = "commands or events are not read"
QUESTIONS = 500


@pytest.fixture
async def parcels(own_valkey: EmbeddedValkey, tmp_path: Path) -> AsyncIterator[Hub]:
    SEEN.clear()
    async with running_parcels(own_valkey.url, tmp_path) as hub:
        yield hub


@pytest.fixture
async def client(own_valkey: EmbeddedValkey) -> AsyncIterator[Redis]:
    redis: Redis = Redis.from_url(own_valkey.url, decode_responses=True)
    yield redis
    await redis.aclose()


def bus(hub: Hub) -> ServiceBus:
    return hub.services["parcels"].bus


async def forbid(client: Redis, server: EmbeddedValkey) -> None:
    """`NOPERM`, as a user has it whose rules are wrong."""
    await client.execute_command("ACL SETUSER default -xreadgroup -xread")


async def allow(client: Redis, server: EmbeddedValkey) -> None:
    await client.execute_command("ACL SETUSER default +xreadgroup +xread")


async def fail_to_save(client: Redis, server: EmbeddedValkey) -> None:
    """`MISCONF`, as a full disk brings it about: writing commands are refused, and `PING` with them."""
    await client.config_set("save", "3600 1")
    (server.directory / "dump.rdb").mkdir()
    await _save(client, "err")


async def save_again(client: Redis, server: EmbeddedValkey) -> None:
    (server.directory / "dump.rdb").rmdir()
    await _save(client, "ok")


async def _save(client: Redis, outcome: str) -> None:
    await client.bgsave()

    async def saved() -> bool:
        persistence = await client.info("persistence")
        return persistence["rdb_bgsave_in_progress"] == 0 and persistence["rdb_last_bgsave_status"] == outcome

    await until(saved)


@pytest.mark.parametrize(
    ("begin", "end", "obstacles"),
    [(forbid, allow, [UNREAD]), (fail_to_save, save_again, [UNREAD, REDIS_AWAY])],
    ids=["NOPERM", "MISCONF"],
)
async def test_a_service_that_is_refused_pauses_and_says_so_once(
    parcels: Hub, own_valkey: EmbeddedValkey, client: Redis, begin: Trouble, end: Trouble, obstacles: list[str]
) -> None:
    """Asked at once again, its readers would be refused about as often as we ask a question meanwhile."""
    with capture_logs() as said:
        await begin(client, own_valkey)
        await until(lambda: bus(parcels)._patience.refused == 2)
        assert await bus(parcels).obstacles() == obstacles
        before = await refusals(client)
        for _ in range(QUESTIONS):
            await client.get("nothing")
        assert await refusals(client) - before < QUESTIONS / 10
    assert [line["event"] for line in said].count("Redis refuses to be read; asking again") == 2
    await end(client, own_valkey)
    await until(lambda: bus(parcels).healthy)
    assert await bus(parcels).obstacles() == []
    assert await parcels.ask(SendParcel(label="after")) == Count(count=1)
    await until(lambda: "after" in SEEN)


async def refusals(client: Redis) -> int:
    """How often readers were refused until now."""
    known = await client.info("commandstats")
    return int(known["cmdstat_xreadgroup"]["rejected_calls"])


async def test_a_gateway_that_is_refused_says_so_once_and_is_not_ready(
    own_valkey: EmbeddedValkey, client: Redis
) -> None:
    raw: Redis = Redis.from_url(own_valkey.url)
    follower = Follower(raw, "test", lambda data: None, lambda recipient, service, number: None)
    await follower.start()
    with capture_logs() as said:
        await forbid(client, own_valkey)
        await until(lambda: not follower.running)
        await allow(client, own_valkey)
        await until(lambda: follower.running)
    assert [line["event"] for line in said] == ["streams not readable; asking again"]
    await follower.stop()
    await raw.aclose()
