"""What the adapter of aiosqlite promises."""

from pathlib import Path
from typing import Any

import aiosqlite
import pytest
from sqlalchemy import text

from libs.storage import Database


async def test_a_statement_makes_one_trip_to_the_connections_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each trip costs as much as the statement itself."""
    trips: list[str] = []
    execute = aiosqlite.Connection._execute

    async def counted(connection: aiosqlite.Connection, function: Any, *arguments: Any) -> Any:
        trips.append(function.__name__)
        return await execute(connection, function, *arguments)

    database = Database(f"sqlite+aiosqlite:///{tmp_path / 'trips.db'}")
    await database.open([])
    monkeypatch.setattr(aiosqlite.Connection, "_execute", counted)
    async with database.write() as session:
        rows = (await session.execute(text("VALUES (1), (2)"))).all()
    monkeypatch.undo()
    await database.close()
    assert [tuple(row) for row in rows] == [(1,), (2,)]
    assert trips == ["_run", "_run", "commit"], "the transaction's beginning, the statement, the commit"
