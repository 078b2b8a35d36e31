"""The migrations of the services lead to the tables of the code, on both databases."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, text

from deploy.migrations.revise import tables_of
from libs.runtime.migrating import MIGRATIONS, revisions_of
from libs.runtime.serving import SERVICES
from libs.storage import Database
from libs.storage.database import REVISION
from libs.storage.migrations import migrate, newest_revision, revisions
from tests.databases import BACKENDS
from tests.expansion import missed_after
from tests.tables import make_tables

INDEXES = {
    "sqlite": "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL",
    "postgresql": "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = current_schema()",
}

NUMBERS = count()

NewUrl = Callable[[], Awaitable[str]]


@pytest.fixture(params=BACKENDS)
def new_url(request: pytest.FixtureRequest, tmp_path: Path) -> NewUrl:
    """Gives the URLs of new databases, of each kind once."""

    async def url() -> str:
        if request.param == "postgresql":
            return str(await request.getfixturevalue("postgres").new_database())
        return f"sqlite+aiosqlite:///{tmp_path / str(next(NUMBERS))}.db"

    if request.param == "postgresql":
        request.getfixturevalue("postgres")
    return url


@asynccontextmanager
async def opened(url: str, service: str) -> AsyncIterator[Database]:
    database = Database(url, schema=service, migrating=True)
    await database.open()
    try:
        yield database
    finally:
        await database.close()


async def seen(database: Database, look: Callable[[Connection], Any]) -> Any:
    async with database.read() as session:
        return await (await session.connection()).run_sync(look)


def indexes(connection: Connection) -> dict[str, str]:
    """Every index with its definition, conditions included."""
    rows = connection.execute(text(INDEXES[connection.dialect.name]))
    return {name: " ".join(definition.split()) for name, definition in rows if not name.startswith(REVISION.name)}


@pytest.mark.parametrize("service", SERVICES)
async def test_the_migrations_make_the_tables_of_the_code(service: str, new_url: NewUrl) -> None:
    """When this fails, the code's tables have changed: write a revision, as the README says."""
    tables = tables_of(service)

    def differences(connection: Connection) -> list[Any]:
        context = MigrationContext.configure(connection, opts={"compare_server_default": True})
        return compare_metadata(context, list(tables))  # type: ignore[arg-type]

    async with opened(await new_url(), service) as database, opened(await new_url(), service) as at_once:
        await migrate(database, revisions_of(service))
        await make_tables(at_once, tables)
        assert await seen(database, differences) == []
        assert await seen(database, indexes) == await seen(at_once, indexes)


@pytest.mark.parametrize("service", SERVICES)
def test_revisions_are_numbered_without_gaps(service: str) -> None:
    numbers = [int(path.name.partition("_")[0]) for path in sorted(revisions_of(service).glob("*.py"))]
    assert numbers == list(range(1, newest_revision(revisions_of(service)) + 1))


@pytest.mark.parametrize("service", SERVICES)
async def test_only_a_contraction_takes_from_former_code_what_it_uses(service: str, tmp_path: Path) -> None:
    """R47: a revision named `contract_…`, a release after the code that does without."""
    versions = tmp_path / service / "versions"
    versions.mkdir(parents=True)
    shutil.copy(MIGRATIONS / "env.py", tmp_path)
    for path in sorted(revisions_of(service).glob("[0-9]*_*.py")):
        shutil.copy(path, versions)
        missed = await missed_after(f"sqlite+aiosqlite:///{tmp_path / service}.db", service, versions)
        assert not missed or revisions(versions)[newest_revision(versions)], path.name
