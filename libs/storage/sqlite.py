"""SQLite without needless trips to a connection's thread, each of which costs as much as a statement.

A statement inside a transaction finds its pages in memory and waits for nobody: it runs where it is asked for, in
microseconds. Only what may wait goes to the thread: for another writer, or for the disk at a commit; and what looks
through much, which we write with a `WITH`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from functools import partial
from typing import Any

from aiosqlite import Connection, Cursor
from aiosqlite.context import contextmanager

ROWS_AT_ONCE = 64
WAITING = ("BEGIN IMMEDIATE", "PRAGMA", "WITH")
"""Statements that may take long."""


class _Cursor(Cursor):
    """Runs statements at once, fetches their rows with them and is closed at once."""

    _rows: Iterable[Any] = ()

    async def execute(self, sql: str, parameters: Iterable[Any] | None = None) -> Cursor:
        run = partial(self._run, sql, tuple(parameters or ()))
        self._rows = await self._execute(run) if sql.startswith(WAITING) else run()  # type: ignore[no-untyped-call]
        return self

    def _run(self, sql: str, parameters: tuple[Any, ...]) -> list[Any]:
        return self._cursor.execute(sql, parameters).fetchall()

    async def executemany(self, sql: str, parameters: Iterable[Iterable[Any]]) -> Cursor:
        self._cursor.executemany(sql, map(tuple, parameters))
        return self

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
