"""A table for the tests of storage, and databases that are closed afterwards."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

from sqlalchemy import MetaData
from sqlmodel import Field, SQLModel

from libs.storage import Database, JsonValue, UtcDateTime
from tests.tables import make_tables


class ThingsTable(SQLModel):
    metadata = MetaData()


class Thing(ThingsTable, table=True):
    name: str = Field(primary_key=True)
    at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    value: Any = Field(default=None, sa_type=JsonValue, nullable=True)


@asynccontextmanager
async def opened(url: str, schema: str = "things", *, shared: bool = False) -> AsyncIterator[Database]:
    """A database with the table."""
    database = Database(url, schema=schema, shared=shared)
    try:
        await database.open()
        await make_tables(database, [ThingsTable.metadata])
        yield database
    finally:
        await database.close()


async def names(database: Database) -> set[str]:
    """What is stored."""
    async with database.read() as session:
        return set((await session.execute(Thing.__table__.select())).scalars())  # type: ignore[attr-defined]
