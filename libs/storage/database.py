"""One service's database: where transactions begin and end."""

from __future__ import annotations

import asyncio
import fcntl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any

import orjson
import structlog
from sqlalchemy import Column, MetaData, NullPool, String, Table, event, inspect, select, text
from sqlalchemy.engine import Connection, make_url
from sqlalchemy.ext.asyncio import AsyncEngine, async_sessionmaker, create_async_engine

from libs.storage.outage import is_outage, reason_of
from libs.storage.session import Session
from libs.storage.sqlite import connect

log = structlog.get_logger()

PRAGMAS = ("busy_timeout=10000", "journal_mode=WAL", "synchronous=FULL", "cache_size=-16000")
REVISION = Table("alembic_version", MetaData(), Column("version_num", String(32), primary_key=True))
"""Where Alembic keeps the revision of the tables beside it."""
CONNECT_SECONDS = 5
WAIT_SECONDS = 1.0
ANSWER_SECONDS = 15
"""A PostgreSQL that is silent for so long is given up; what a silent process of ours holds there is let go."""


class CannotOpen(RuntimeError):
    """Why a database is of no use as it is, in one sentence for people."""


class DatabaseInUse(CannotOpen):
    """Another process has this SQLite file open as its own."""


class OlderTables(CannotOpen):
    """The tables are missing, or older than the code."""


class Database:
    """Transactions on SQLite (one writer at a time, readers beside it) or PostgreSQL (as many as the pool has)."""

    def __init__(
        self,
        url: str,
        *,
        schema: str | None = None,
        pool_size: int = 5,
        shared: bool = False,
        migrating: bool = False,
    ) -> None:
        """`shared` lets several processes open one SQLite file, as the gateways of one machine do.

        `migrating`: statements may take any time, and foreign keys are not enforced while tables are made anew.
        """
        self.url = make_url(url)
        self.concurrent = self.url.get_backend_name() == "postgresql"
        self.schema = schema
        self._shared = shared
        self._migrating = migrating
        self._lock_file: IO[str] | None = None
        self._writer, self._reader = self._postgres(pool_size) if self.concurrent else self._sqlite()
        self._writes = async_sessionmaker(self._writer, class_=Session, expire_on_commit=False)
        self._reads = async_sessionmaker(self._reader, class_=Session, expire_on_commit=False)
        self._apart = self._alone() if self.concurrent else self._reader
        self._turn: asyncio.Semaphore = asyncio.Semaphore(pool_size if self.concurrent else 1)

    def _postgres(self, pool_size: int) -> tuple[AsyncEngine, AsyncEngine]:
        engine = create_async_engine(
            self.url,
            pool_size=pool_size,
            max_overflow=0,
            pool_pre_ping=True,
            hide_parameters=True,
            json_serializer=lambda value: orjson.dumps(value).decode(),
            json_deserializer=orjson.loads,
            connect_args=self._server_settings(),
        )
        return engine, engine.execution_options(isolation_level="REPEATABLE READ")

    def _alone(self) -> AsyncEngine:
        """PostgreSQL beside the pool, a connection for each time."""
        return create_async_engine(self.url, poolclass=NullPool, connect_args=self._server_settings())

    def _server_settings(self) -> dict[str, Any]:
        settings = {"search_path": self.schema} if self.schema else {}
        settings["idle_in_transaction_session_timeout"] = str(0 if self._migrating else 1000 * ANSWER_SECONDS)
        patience = None if self._migrating else ANSWER_SECONDS
        return {"server_settings": settings, "timeout": CONNECT_SECONDS, "command_timeout": patience}

    def _sqlite(self) -> tuple[AsyncEngine, AsyncEngine]:
        creator = partial(connect, str(self.url.database))
        settings: Any = {
            "async_creator": creator,
            "max_overflow": 0,
            "pool_reset_on_return": None,
            "hide_parameters": True,
        }
        writer = create_async_engine(self.url, pool_size=1, **settings)
        reader = create_async_engine(self.url, pool_size=4, **settings)
        for engine, begin in ((writer, "BEGIN IMMEDIATE"), (reader, "BEGIN")):
            event.listen(engine.sync_engine, "connect", _prepare_with(not self._migrating))
            event.listen(engine.sync_engine, "begin", _begin_with(begin))
        return writer, reader

    async def open(self, revision: int = 0) -> None:
        """Take the file for this process (SQLite); the tables must be of a revision, or newer (R47).

        Raises `CannotOpen`, and is closed then.
        """
        try:
            if not self.concurrent:
                Path(str(self.url.database)).parent.mkdir(parents=True, exist_ok=True)
                self._take_file()
            self._check(await self.revision(), revision)
        except BaseException:
            await self.close()
            raise

    def _check(self, found: int, needed: int) -> None:
        if found < needed:
            state = f"are at revision {found} of {needed}" if found else "are not there yet"
            raise OlderTables(f"the tables of {self.name} {state}; run `prickle migrate {self.name}`")

    @property
    def name(self) -> str:
        """What people call it: its schema or its file."""
        return self.schema or str(self.url.database)

    async def revision(self) -> int:
        """The number of the newest migration of its tables; 0 when there are none."""
        try:
            async with self._reader.connect() as connection:
                return await connection.run_sync(_revision)
        except Exception as error:
            wrong = "does not answer" if is_outage(error) else f"refuses us ({reason_of(error)})"
            raise CannotOpen(f"the database of {self.name} {wrong}; start it, or correct its URL or file") from error

    def _take_file(self) -> None:
        """Several processes that share a file keep out the one that wants it for itself."""
        path = Path(f"{self.url.database}.lock")
        self._lock_file = path.open("a")
        try:
            fcntl.flock(self._lock_file, (fcntl.LOCK_SH if self._shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except OSError as error:
            raise DatabaseInUse(f"{self.url.database} is open in another process; stop that one first") from error

    async def wait(self) -> None:
        """Wait until PostgreSQL answers, or gives an answer that waiting does not mend, such as a wrong password."""
        while self.concurrent:
            try:
                await self.check()
                return
            except Exception as error:
                if not is_outage(error):
                    return
                log.warning("waiting for the database", error=type(error).__name__)
                await asyncio.sleep(WAIT_SECONDS)

    async def check(self) -> None:
        """Ask the database something, whether or not all its connections are taken; raises when it does not answer."""
        async with self._apart.connect() as connection:
            await connection.execute(text("SELECT 1"))

    async def close(self) -> None:
        """Close all connections and let go of the file."""
        await self._writer.dispose()
        if self._reader is not self._writer:
            await self._reader.dispose()
        if self._lock_file is not None:
            self._lock_file.close()

    @asynccontextmanager
    async def write(self) -> AsyncIterator[Session]:
        """A transaction that may write; committed when the block ends well, else rolled back."""
        async with self._turn, self._writes() as session:
            yield session
            await session.commit()

    @asynccontextmanager
    async def read(self) -> AsyncIterator[Session]:
        """A transaction that only reads."""
        async with self._reads() as session:
            yield session


def _revision(connection: Connection) -> int:
    if not inspect(connection).has_table(REVISION.name):
        return 0
    return int(connection.scalar(select(REVISION.c.version_num)) or 0)


def _prepare_with(foreign_keys: bool) -> Any:
    def prepare(connection: Any, record: object) -> None:
        cursor = connection.cursor()
        for pragma in (*PRAGMAS, f"foreign_keys={'ON' if foreign_keys else 'OFF'}"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    return prepare


def _begin_with(statement: str) -> Any:
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql(statement)

    return begin
