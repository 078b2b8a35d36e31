"""SQLite with one trip to a connection's thread per statement; aiosqlite and SQLAlchemy together make four."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from functools import partial
from typing import Any

from aiosqlite import Connection, Cursor
from aiosqlite.context import contextmanager

ROWS_AT_ONCE = 64


class _Cursor(Cursor):
    """Brings its rows back with the statement: fetching them and closing are no trips of their own."""

    _rows: Iterable[Any] = ()

    async def execute(self, sql: str, parameters: Iterable[Any] | None = None) -> Cursor:
        self._rows = await self._execute(self._run, sql, parameters or ())  # type: ignore[no-untyped-call]
        return self

    def _run(self, sql: str, parameters: Any) -> list[Any]:
        return self._cursor.execute(sql, parameters).fetchall()

    async def fetchall(self) -> Iterable[Any]:
        return self._rows

    async def close(self) -> None:
        self._cursor.close()


class _Connection(Connection):
    """A connection whose cursors are made where they are asked for."""

    @contextmanager
    async def cursor(self) -> Cursor:
        return _Cursor(self, self._conn.cursor())


def connect(path: str) -> Connection:
    """A connection to a file, to be awaited; statements begin its transactions, not the driver."""
    opened = partial(sqlite3.connect, path, isolation_level=None, check_same_thread=False)
    connection = _Connection(opened, ROWS_AT_ONCE)
    connection._thread.daemon = True
    return connection
