"""Writes a service's next revision: what its code and its revisions up to now differ in.

Use: deploy/develop revision SERVICE "What it does"
"""

from __future__ import annotations

import asyncio
import importlib
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from alembic import command
from sqlalchemy import Connection, MetaData

from libs.bus.tables import BUS_TABLES
from libs.runtime.migrating import revisions_of
from libs.storage import Database
from libs.storage.migrations import configuration, migrate, newest_revision


def tables_of(service: str) -> tuple[MetaData, MetaData]:
    """What a service's code keeps in its database."""
    if service == "gateway":
        return BUS_TABLES, importlib.import_module("services.gateway.directory.domain").DirectoryTable.metadata
    return BUS_TABLES, importlib.import_module(f"services.{service}.app").service.tables


async def revise(service: str, text: str) -> None:
    """Write the revision; read it, for a renamed column looks like a removed and a new one."""
    folder = revisions_of(service)
    number = newest_revision(folder) + 1 if any(folder.glob("*.py")) else 1

    def write(connection: Connection) -> None:
        config = configuration(connection, folder, *tables_of(service))
        command.revision(config, text, autogenerate=True, rev_id=f"{number:04}")

    with TemporaryDirectory() as directory:
        database = Database(f"sqlite+aiosqlite:///{Path(directory) / service}.db", schema=service)
        await database.open()
        if number > 1:
            await migrate(database, folder)
        async with database.write() as session:
            await (await session.connection()).run_sync(write)
        await database.close()


if __name__ == "__main__":
    asyncio.run(revise(*sys.argv[1:]))
