"""PostgreSQL: one dump of all schemas as of one moment, and its way back in one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg  # type: ignore[import-untyped]
from sqlalchemy import Update
from sqlalchemy.dialects import postgresql

from libs.runtime.backup.files import new_file
from libs.runtime.backup.manifest import BackupError, KeptDatabase, file_names
from libs.runtime.backup.programs import Programs
from libs.runtime.serving import SERVICES

SCHEMAS = [f"--schema={name}" for name in SERVICES]
TABLES = "SELECT schemaname, tablename FROM pg_tables WHERE schemaname = ANY($1) ORDER BY schemaname, tablename"
OTHERS = """
    SELECT string_agg(DISTINCT usename, ', ') FROM pg_stat_activity
    WHERE datname = current_database() AND usename IS NOT NULL AND pid <> pg_backend_pid()
"""
DUMP = file_names("postgresql")["gateway"]

Tables = dict[str, list[str]]
"""The tables in each schema that is there."""


def dump_schemas(url: str, folder: Path) -> dict[str, KeptDatabase]:
    """Dump all schemas as of one moment; nobody waits for it. Raises `BackupError`."""
    return asyncio.run(_dump(Programs(url), new_file(folder / DUMP)))


async def _dump(programs: Programs, file: Path) -> dict[str, KeptDatabase]:
    async with _connected(programs) as connection:
        programs.check("pg_dump", connection.get_server_version().major)
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            moment = await connection.fetchval("SELECT pg_export_snapshot()")
            kept = await _contents(connection)
            line = ["pg_dump", "--no-password", "--format=custom", f"--snapshot={moment}", f"--file={file}", *SCHEMAS]
            await asyncio.to_thread(programs.run, line)
    return kept


async def _contents(connection: asyncpg.Connection) -> dict[str, KeptDatabase]:
    tables = await _tables(connection)
    if missing := [name for name in SERVICES if name not in tables]:
        raise BackupError(f"there is no whole hub in this database; {missing[0]} is missing")
    return {name: await _kept(connection, name, tables[name]) for name in SERVICES}


async def _tables(connection: asyncpg.Connection) -> Tables:
    tables: Tables = {}
    for schema, name in await connection.fetch(TABLES, SERVICES):
        tables.setdefault(schema, []).append(name)
    return tables


async def _kept(connection: asyncpg.Connection, schema: str, tables: list[str]) -> KeptDatabase:
    rows = {name: await connection.fetchval(f'SELECT count(*) FROM "{schema}"."{name}"') for name in tables}
    known = f'SELECT version_num FROM "{schema}".alembic_version'
    revision = await connection.fetchval(known) if "alembic_version" in tables else None
    return KeptDatabase(file=DUMP, revision=revision, rows=rows)


@asynccontextmanager
async def _connected(programs: Programs) -> AsyncIterator[asyncpg.Connection]:
    try:
        connection = await asyncpg.connect(**programs.places)
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        raise BackupError("no PostgreSQL lets us in at the given URL; start it or correct --database-url") from error
    try:
        yield connection
    except asyncpg.InsufficientPrivilegeError as error:
        raise BackupError("this user may not; name the owner of the schemas in --database-url") from error
    finally:
        await connection.close()


def check_schemas(url: str, *, replace: bool) -> None:
    """Raise `BackupError` when the database is in use, or holds data that nobody said to replace."""
    asyncio.run(_check(Programs(url), replace))


async def _check(programs: Programs, replace: bool) -> None:
    async with _connected(programs) as connection:
        for program in ("pg_restore", "psql"):
            programs.check(program, connection.get_server_version().major)
        if others := await connection.fetchval(OTHERS):
            raise BackupError(f"the database is open for {others}; stop the services first")
        if await _tables(connection) and not replace:
            raise BackupError("the database holds the data of a hub; --replace gives that up for the backup")


def put_schemas_back(url: str, source: Path, changes: Mapping[str, Sequence[Update]]) -> None:
    """Put the tables of a backup in the place of the hub's, with the changes of their new life: all or nothing.

    They belong to whoever restores, and the default privileges of the schemas say who else may use them.
    """
    programs = Programs(url)
    before = ["BEGIN", *asyncio.run(_makes_room(programs))]
    line = ["pg_restore", "--no-owner", "--no-privileges", "--file=-", *SCHEMAS, str(source / DUMP)]
    programs.play(before, line, [*_written(changes), "COMMIT"])


async def _makes_room(programs: Programs) -> list[str]:
    async with _connected(programs) as connection:
        tables = await _tables(connection)
    present = [f'"{schema}"."{name}"' for schema in tables for name in tables[schema]]
    made = [f'CREATE SCHEMA IF NOT EXISTS "{name}"' for name in SERVICES]
    return [*made, *(f"DROP TABLE {name} CASCADE" for name in present)]


def _written(changes: Mapping[str, Sequence[Update]]) -> list[str]:
    written = []
    dialect = postgresql.dialect()  # type: ignore[no-untyped-call]
    for schema, statements in changes.items():
        written.append(f'SET LOCAL search_path TO "{schema}"')
        for statement in statements:
            written.append(str(statement.compile(dialect=dialect, compile_kwargs={"literal_binds": True})))
    return written
