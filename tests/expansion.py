"""Whether the code of a release runs on the tables of the next one (R47)."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, inspect

from libs.storage import Database
from libs.storage.migrations import migrate

Shape = dict[str, dict[str, bool]]
"""Tables, their columns, and whether a row may leave each out."""


async def missed_after(url: str, schema: str, folder: Path) -> set[str]:
    """Migrate a database; the columns that former code would miss, or would not know that it must give."""
    database = Database(url, schema=schema, migrating=True)
    await database.open()
    before = await _shape(database)
    await migrate(database, folder)
    after = await _shape(database)
    await database.close()
    return {
        f"{table}.{column}"
        for table, columns in before.items()
        for column in columns.keys() ^ after.get(table, {}).keys()
        if not after.get(table, {}).get(column, False)
    }


async def _shape(database: Database) -> Shape:
    async with database.read() as session:
        return await (await session.connection()).run_sync(_described)


def _described(connection: Connection) -> Shape:
    seen = inspect(connection)
    return {
        table: {one["name"]: one["nullable"] or one["default"] is not None for one in seen.get_columns(table)}
        for table in seen.get_table_names()
    }
