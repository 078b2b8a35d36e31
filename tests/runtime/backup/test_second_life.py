"""What was on its way when a backup was made arrives after the restore, once, however long that took (R42, R43)."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import create_engine, select

from libs.bus.connection import connect
from libs.bus.tables import DEAD_LETTERS, OUTBOX
from libs.contracts.policy import Policy
from libs.runtime.backup.new_life import changes
from libs.runtime.valkey import EmbeddedValkey
from tests.bus.parcels import FAILURES, SEEN, SendParcel
from tests.bus.running import running_parcels
from tests.harness import Hub, until

DAY = 86400.0


async def all_sent(hub: Hub) -> bool:
    """Whether every event has left."""
    async with hub.services["parcels"].database.read() as session:
        return all(row.sent_at is not None for row in (await session.execute(select(OUTBOX))).all())


def live_again(file: Path, made_at: datetime) -> None:
    """What a restore changes in every database."""
    engine = create_engine(f"sqlite:///{file}")
    with engine.begin() as connection:
        for change in changes(made_at, datetime.now(UTC), Policy())["rooms"]:
            connection.execute(change)
    engine.dispose()


@pytest.mark.parametrize("days", [0.01, 3])
async def test_an_event_that_nobody_had_handled_is_handled_and_no_other_is_handled_again(
    valkey: EmbeddedValkey, tmp_path: Path, days: float
) -> None:
    SEEN.clear()
    redis_url = f"redis://127.0.0.1:{valkey.port}/201"
    async with running_parcels(redis_url, tmp_path, event_retry_seconds=60) as first:
        first.clock.advance(-days * DAY)
        FAILURES["on its way"] = 1
        for label in ("handled", "on its way"):
            await first.ask(SendParcel(label=label))
        await until(lambda: SEEN == ["handled"] and not FAILURES["on its way"])
        await until(lambda: all_sent(first))
        made_at = first.clock()
    client = connect(redis_url)
    await client.flushdb()
    await client.aclose()
    live_again(tmp_path / "parcels.db", made_at)
    async with running_parcels(redis_url, tmp_path) as second:
        await until(lambda: all_sent(second))
        await until(lambda: "on its way" in SEEN)
        await second.ask(SendParcel(label="later"))
        await until(lambda: "later" in SEEN)
        assert SEEN == ["handled", "on its way", "later"]
        async with second.services["parcels"].database.read() as session:
            assert (await session.execute(select(DEAD_LETTERS))).all() == []
