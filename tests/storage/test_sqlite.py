"""What the adapter of aiosqlite promises."""

import asyncio
from pathlib import Path
from typing import Any

import aiosqlite
import pytest
from sqlalchemy import text

from libs.storage import Database


async def test_only_what_may_wait_goes_to_the_connections_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each trip costs as much as the statement itself."""
    trips: list[str] = []
    execute = aiosqlite.Connection._execute

    async def counted(connection: aiosqlite.Connection, function: Any, *arguments: Any) -> Any:
        trips.append(getattr(function, "__name__", "statement"))
        return await execute(connection, function, *arguments)

    database = Database(f"sqlite+aiosqlite:///{tmp_path / 'trips.db'}")
    await database.open()
    async with database.write() as session:
        await session.execute(text("VALUES (0)"))
    monkeypatch.setattr(aiosqlite.Connection, "_execute", counted)
    async with database.write() as session:
        rows = (await session.execute(text("VALUES (1), (2)"))).all()
    monkeypatch.undo()
    await database.close()
    assert [tuple(row) for row in rows] == [(1,), (2,)]
    assert trips == ["statement", "commit"], "the beginning waits for another writer, the commit for the disk"


async def test_what_looks_through_much_leaves_the_loop_to_others(tmp_path: Path) -> None:
    """Cleaning must not hold up a command."""
    database = Database(f"sqlite+aiosqlite:///{tmp_path / 'long.db'}")
    await database.open()
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    going_on = asyncio.create_task(others())
    counting = "WITH RECURSIVE n(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n WHERE x < 300000) SELECT max(x) FROM n"
    async with database.read() as session:
        await session.execute(text("SELECT 1"))
        before = turns
        assert (await session.execute(text(counting))).scalar() == 300_000
    assert turns - before > 10
    going_on.cancel()
    await database.close()
