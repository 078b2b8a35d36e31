"""R44: a database that restarts, hangs or breaks a transaction is answered for, and everything comes back by itself."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from libs.bus.tables import DEAD_LETTERS
from libs.contracts.errors import Unavailable
from libs.runtime.valkey import EmbeddedValkey
from libs.storage import Database
from tests.bus.parcels import SEEN, Count, CountParcels, ReadParcelsMailbox, SendInBulk, SendParcel, WeighParcels
from tests.bus.running import asking, held, running_parcels
from tests.databases import Cluster, one_waits_for_a_lock, started_cluster
from tests.harness import Hub, until

QUICKLY, CRASHED = signal.SIGINT, signal.SIGQUIT


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """A PostgreSQL server that a test may stop."""
    yield from started_cluster()


@pytest.fixture
async def parcels(cluster: Cluster, own_valkey: EmbeddedValkey, tmp_path: Path) -> AsyncIterator[Hub]:
    SEEN.clear()
    settings = {"database_url": await cluster.new_database(), "event_retry_seconds": 0.1}
    async with running_parcels(own_valkey.url, tmp_path, **settings) as hub:
        await hub.ask(SendParcel(label="before"))
        yield hub


def database(hub: Hub) -> Database:
    return hub.services["parcels"].database


@pytest.mark.parametrize("how", [QUICKLY, CRASHED], ids=["restart", "crash"])
async def test_a_restart_is_noticed_by_no_caller(parcels: Hub, cluster: Cluster, how: signal.Signals) -> None:
    """Each command is answered, carried out once, and delivered once.

    A commit may have succeeded that the crash kept from being told: then the sweep of the outbox delivers.
    """
    async with asking(parcels) as answers:
        await asyncio.to_thread(cluster.stop, how)
        await asyncio.to_thread(cluster.start)
    assert {answer.count for answer in answers} == {1}
    page = await parcels.ask(ReadParcelsMailbox(recipient="ann/codex", tool="wait", limit=1))
    assert page.more
    parcels.clock.advance(parcels.settings.outbox_sweep_seconds + 1)
    await until(lambda: len(set(SEEN)) == len(answers) + 1)


async def test_a_batch_rides_out_a_restart_too(parcels: Hub, cluster: Cluster) -> None:
    with held("bulk-0") as first:
        asks = [asyncio.create_task(parcels.ask(SendInBulk(label=f"bulk-{number}"))) for number in range(20)]
        await first.begun.wait()
        await asyncio.to_thread(cluster.stop, CRASHED)
        await asyncio.to_thread(cluster.start)
        first.released.set()
        assert await asyncio.gather(*asks) == [Count(count=1)] * 20


async def test_a_database_that_stays_away_is_told_to_the_caller(parcels: Hub, cluster: Cluster) -> None:
    await asyncio.to_thread(cluster.stop)
    for ask in (SendParcel(label="away"), CountParcels(label="away")):
        with pytest.raises(Unavailable, match="same idempotency_key"):
            await parcels.ask(ask)
    await asyncio.to_thread(cluster.start)
    assert await parcels.ask(SendParcel(label="away")) == Count(count=1)


async def test_an_event_does_not_die_of_an_outage(parcels: Hub, cluster: Cluster) -> None:
    """R42: the five tries are for what its consumer cannot do, not for a database that is away."""
    lane = parcels.services["parcels"].bus._events[0]
    await until(lambda: SEEN == ["before"])
    await lane.subscriber.stop()
    await parcels.ask(SendParcel(label="patient"))
    await parcels.services["parcels"].bus._publisher.drain()
    await asyncio.to_thread(cluster.stop)
    await lane.subscriber.start()
    client = parcels.services["parcels"].bus.client
    await until(lambda: _tried(client, lane.stream, 8))
    await asyncio.to_thread(cluster.start)
    await until(lambda: "patient" in SEEN)
    async with database(parcels).read() as session:
        assert (await session.execute(DEAD_LETTERS.select())).all() == []


async def _tried(client: object, stream: str, times: int) -> bool:
    pending = await client.xpending_range(stream, "parcels", "-", "+", 1)  # type: ignore[attr-defined]
    return bool(pending) and pending[0]["times_delivered"] >= times


async def test_a_transaction_whose_connection_breaks_is_done_again(parcels: Hub) -> None:
    with held("broken off") as handler:
        sending = asyncio.create_task(parcels.ask(SendParcel(label="broken off")))
        await handler.begun.wait()
        async with database(parcels).read() as session:
            others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle in transaction'"
            await session.execute(text(f"{others} AND pid <> pg_backend_pid()"))
        handler.released.set()
        assert await sending == Count(count=1)


async def test_transactions_that_deadlock_are_both_done(parcels: Hub) -> None:
    for label in ("left", "right"):
        await parcels.ask(SendParcel(label=label))
    with held("left") as left, held("right") as right:
        weighing = [
            asyncio.create_task(parcels.ask(WeighParcels(labels=labels)))
            for labels in (["left", "right"], ["right", "left"])
        ]
        await asyncio.gather(left.begun.wait(), right.begun.wait())
        left.released.set()
        right.released.set()
        assert await asyncio.gather(*weighing) == [Count(count=2)] * 2


async def test_a_command_that_waits_for_a_lock_does_not_keep_its_caller_for_ever(
    cluster: Cluster, own_valkey: EmbeddedValkey, tmp_path: Path
) -> None:
    settings = {"database_url": await cluster.new_database(), "command_deadline_seconds": 1.0}
    async with running_parcels(own_valkey.url, tmp_path, **settings) as hub:
        async with database(hub).write() as session:
            await session.execute(text("LOCK TABLE parcel IN ACCESS EXCLUSIVE MODE"))
            with pytest.raises(Unavailable):
                await hub.ask(SendParcel(label="locked"))
            assert await one_waits_for_a_lock(database(hub))
        await until(lambda: _counted(hub, "next"))


async def _counted(hub: Hub, label: str) -> bool:
    try:
        return bool(await hub.ask(SendParcel(label=label)))
    except Unavailable:
        return False
