"""Migrations: numbered Alembic revisions of one service, run all or not at all and never backwards.

They expand first and contract a release later (R47), so the code of the release before runs on the new tables. What
takes something away says so in its name, `0002_contract_…`: the code before does without it already, and the code that
brings it does not wait for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from sqlalchemy import Connection, MetaData, inspect, text
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel.sql.sqltypes import AutoString

from libs.storage.columns import JsonValue, UtcDateTime
from libs.storage.database import REVISION, CannotOpen, Database
from libs.storage.outage import is_outage, reason_of

if TYPE_CHECKING:
    from alembic.autogenerate.api import AutogenContext
    from alembic.config import Config
    from alembic.runtime.environment import EnvironmentContext

ADVISORY_LOCK = 7_267_255
CONTRACTION = "contract_"
"""How the titles of revisions begin that take something away."""
BUSY_SECONDS = 10
"""How long a migration waits for a table; calls that want the table wait behind it meanwhile."""


class CannotMigrate(CannotOpen):
    """The tables stay as they were."""


@dataclass(frozen=True)
class Migrated:
    """The revisions of some tables before and after."""

    before: int
    after: int


def revisions(folder: Path) -> dict[int, bool]:
    """The files `0001_what_it_does.py` of a service by number: whether each is a contraction."""
    split = [path.name.partition("_") for path in sorted(folder.glob("[0-9]*_*.py"))]
    return {int(number): title.startswith(CONTRACTION) for number, _, title in split}


def newest_revision(folder: Path) -> int:
    """The highest number of a revision."""
    return max(revisions(folder))


def needed_revision(folder: Path) -> int:
    """What the tables must have come to for the code beside the revisions."""
    return max(number for number, contracts in revisions(folder).items() if not contracts)


async def migrate(database: Database, folder: Path) -> Migrated:
    """Bring the tables of an open database to the newest revision; newer ones stay. Raises `CannotOpen`."""
    before, newest = await database.revision(), newest_revision(folder)
    if before >= newest:
        return Migrated(before, before)
    try:
        async with database.write() as session:
            connection = await session.connection()
            await connection.run_sync(_upgrade, folder, database.schema)
    except (SQLAlchemyError, OSError) as error:
        wrong = "does not answer" if is_outage(error) else f"refuses revision {newest} ({reason_of(error)})"
        raise CannotMigrate(f"the database of {database.name} {wrong}; nothing was changed there") from error
    return Migrated(before, newest)


def _upgrade(connection: Connection, folder: Path, schema: str | None) -> None:
    from alembic import command

    if connection.dialect.name == "postgresql":
        _take_turns(connection, schema)
    tables = inspect(connection).get_table_names()
    if tables and REVISION.name not in tables:
        raise CannotMigrate(f"the tables of {schema} are older than migrations; begin with new databases")
    command.upgrade(configuration(connection, folder), "head")
    if connection.dialect.name == "sqlite" and connection.exec_driver_sql("PRAGMA foreign_key_check").first():
        raise CannotMigrate(f"the new tables of {schema} would lose what others refer to; nothing was changed")


def _take_turns(connection: Connection, schema: str | None) -> None:
    """One migration at a time on the whole database, in a schema that is there."""
    connection.execute(text(f"SELECT pg_advisory_xact_lock({ADVISORY_LOCK})"))
    connection.execute(text(f"SET LOCAL lock_timeout = '{BUSY_SECONDS}s'"))
    if schema and not inspect(connection).has_schema(schema):
        connection.execute(text(f'CREATE SCHEMA "{schema}"'))


def configuration(connection: Connection, folder: Path, *tables: MetaData) -> Config:
    """Alembic's, for the revisions in a folder `<service>/versions`."""
    from alembic.config import Config

    options = {
        "script_location": str(folder.parents[1]),
        "version_locations": str(folder),
        "path_separator": "newline",
        "file_template": "%(rev)s_%(slug)s",
    }
    config = Config(attributes={"connection": connection, "tables": tables})
    for name, value in options.items():
        config.set_main_option(name, value.replace("%", "%%"))
    return config


def run(context: EnvironmentContext) -> None:
    """What Alembic's `env.py` does, in the transaction of the connection that was given."""
    context.configure(
        connection=context.config.attributes["connection"],
        target_metadata=list(context.config.attributes["tables"]),
        transactional_ddl=True,
        render_as_batch=True,
        render_item=_render,
        compare_server_default=True,
    )
    context.run_migrations()


def _render(kind: str, item: Any, context: AutogenContext) -> str | Literal[False]:
    """Our column types by their names, SQLModel's text as what it is."""
    if kind == "type" and isinstance(item, JsonValue | UtcDateTime):
        context.imports.add(f"from libs.storage import {type(item).__name__}")
        return f"{type(item).__name__}()"
    return "sa.String()" if kind == "type" and isinstance(item, AutoString) else False
