"""R43: a Redis that lost its data, all or some of it, loses nothing that was answered."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import orjson
import pytest

from libs.bus import streams
from libs.bus.connection import connect
from libs.bus.envelope import FIELD
from libs.runtime.valkey import EmbeddedValkey
from tests.bus.parcels import FAILURES, SEEN, Count, CountParcels, ReadParcelsMailbox, SendParcel
from tests.bus.running import running_parcels
from tests.harness import Hub, until

Loss = Callable[[EmbeddedValkey, Path], Awaitable[None]]


async def flushed(valkey: EmbeddedValkey, older: Path) -> None:
    client = connect(valkey.url)
    await client.flushall()
    await client.aclose()


async def restarted(valkey: EmbeddedValkey, older: Path) -> None:
    valkey.kill()
    await asyncio.to_thread(valkey.start)


async def emptied(valkey: EmbeddedValkey, older: Path) -> None:
    valkey.kill()
    shutil.rmtree(valkey.directory)
    await asyncio.to_thread(valkey.start)


async def set_back(valkey: EmbeddedValkey, older: Path) -> None:
    """Back to a copy made earlier."""
    valkey.kill()
    shutil.rmtree(valkey.directory)
    shutil.copytree(older, valkey.directory)
    await asyncio.to_thread(valkey.start)


LOSSES = [flushed, restarted, emptied, set_back]


@pytest.fixture
async def parcels(own_valkey: EmbeddedValkey, tmp_path: Path) -> AsyncIterator[Hub]:
    """A service that has worked, with a copy of Redis's data from the middle of its work."""
    SEEN.clear()
    async with running_parcels(own_valkey.url, tmp_path, event_retry_seconds=60) as hub:
        await hub.ask(SendParcel(label="first"), "ann", key="first", argument_hash="a")
        await until(lambda: SEEN == ["first"])
        shutil.copytree(own_valkey.directory, tmp_path / "older")
        await hub.ask(SendParcel(label="second"), "ann", key="second", argument_hash="a")
        await until(lambda: SEEN == ["first", "second"])
        yield hub


@pytest.fixture(params=LOSSES, ids=lambda loss: loss.__name__)
def lose(request: pytest.FixtureRequest, own_valkey: EmbeddedValkey, tmp_path: Path) -> Callable[[], Awaitable[None]]:
    """One way to lose data."""
    return lambda: request.param(own_valkey, tmp_path / "older")


async def test_commands_are_answered_again(parcels: Hub, lose: Callable[[], Awaitable[None]]) -> None:
    await lose()
    assert await parcels.ask(SendParcel(label="third")) == Count(count=1)
    await until(lambda: "third" in SEEN)
    assert parcels.services["parcels"].bus.healthy


async def test_what_was_answered_before_is_answered_alike(parcels: Hub, lose: Callable[[], Awaitable[None]]) -> None:
    await lose()
    for label in ("first", "second"):
        again = await parcels.ask(SendParcel(label=label), "ann", key=label, argument_hash="a")
        assert (again, await parcels.ask(CountParcels(label=label))) == (Count(count=1), Count(count=1))
    page = await parcels.ask(ReadParcelsMailbox(recipient="ann/codex", tool="wait"))
    assert [entry.body["label"] for entry in page.entries] == ["first", "second"]


async def test_calls_under_way_are_answered(parcels: Hub, lose: Callable[[], Awaitable[None]]) -> None:
    labels = [f"meanwhile-{number}" for number in range(40)]
    asking = [asyncio.create_task(parcels.ask(SendParcel(label=label))) for label in labels]
    await lose()
    assert await asyncio.gather(*asking) == [Count(count=1)] * 40


async def test_an_event_that_nobody_consumed_yet_is_published_again(
    parcels: Hub, lose: Callable[[], Awaitable[None]]
) -> None:
    FAILURES["lost"] = 1
    await parcels.ask(SendParcel(label="lost"))
    await until(lambda: FAILURES["lost"] == 0)
    bus = parcels.services["parcels"].bus
    await bus._publisher.note_sent(bus.executor)
    await lose()
    await until(lambda: "lost" in SEEN)
    assert sorted(SEEN) == ["first", "lost", "second"]


async def test_recipients_of_the_last_hour_are_woken_again(
    own_valkey: EmbeddedValkey, tmp_path: Path, lose: Callable[[], Awaitable[None]], parcels: Hub
) -> None:
    parcels.clock.advance(3601)
    await parcels.ask(SendParcel(label="new", to="bob/codex"))
    await lose()
    client = connect(own_valkey.url)
    before = await _woken(client)
    await until(lambda: _woken_since(client, before, ["bob/codex", 1]))
    assert ["ann/codex", 2] not in (await _woken(client))[len(before) :]
    await client.aclose()


async def test_a_service_that_was_down_meanwhile_publishes_again(
    parcels: Hub, own_valkey: EmbeddedValkey, tmp_path: Path
) -> None:
    FAILURES["lost"] = 1
    await parcels.ask(SendParcel(label="lost"))
    await until(lambda: FAILURES["lost"] == 0)
    await parcels.services.pop("parcels").stop()
    await emptied(own_valkey, tmp_path)
    async with running_parcels(own_valkey.url, tmp_path):
        await until(lambda: "lost" in SEEN)


async def test_a_service_started_before_redis_waits_for_it(own_valkey: EmbeddedValkey, tmp_path: Path) -> None:
    own_valkey.kill()
    starting = asyncio.create_task(_ask_once(own_valkey, tmp_path))
    await asyncio.sleep(0)
    await asyncio.to_thread(own_valkey.start)
    assert await starting == Count(count=1)


async def _ask_once(valkey: EmbeddedValkey, directory: Path) -> Count:
    async with running_parcels(valkey.url, directory) as hub:
        return await hub.ask(SendParcel(label="early"))


async def _woken(client: object) -> list[list[object]]:
    entries = await client.xrange(streams.updates("parcels"))  # type: ignore[attr-defined]
    return [told[:2] for _, fields in entries for told in orjson.loads(fields[FIELD])]


async def _woken_since(client: object, before: list[list[object]], wanted: list[object]) -> bool:
    return wanted in (await _woken(client))[len(before) :]
