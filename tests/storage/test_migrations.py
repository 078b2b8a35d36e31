"""Running migrations (R47): all or nothing, one at a time, forwards only, and old code on new tables."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from sqlalchemy import inspect, text

from libs.runtime.migrating import MIGRATIONS
from libs.storage import Database
from libs.storage.database import DatabaseInUse, OlderTables
from libs.storage.migrations import CannotMigrate, Migrated, migrate, needed_revision, newest_revision
from tests.databases import Cluster
from tests.expansion import missed_after
from tests.storage.things import Thing, names

REVISIONS = Path(__file__).parent / "revisions"
GRANTS = (
    "CREATE ROLE things_service LOGIN",
    "GRANT USAGE ON SCHEMA things TO things_service",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA things TO things_service",
)

Release = Callable[[int], Path]


@pytest.fixture
def release(tmp_path: Path) -> Release:
    """The folder of the revisions up to a number, as one release of the code has them."""

    def folder(number: int) -> Path:
        place = tmp_path / f"release {number}%"
        versions = place / "things" / "versions"
        versions.mkdir(parents=True)
        for path in sorted(REVISIONS.glob("*.py"))[:number]:
            shutil.copy(path, versions)
        shutil.copy(MIGRATIONS / "env.py", place)
        return versions

    return folder


@asynccontextmanager
async def opened(url: str, *, migrating: bool = False, needs: int = 0) -> AsyncIterator[Database]:
    database = Database(url, schema="things", migrating=migrating)
    await database.open(needs)
    try:
        yield database
    finally:
        await database.close()


async def migrated(url: str, folder: Path) -> Migrated:
    async with opened(url, migrating=True) as database:
        return await migrate(database, folder)


async def columns(url: str) -> set[str]:
    """Those of the table of things."""
    async with opened(url) as database, database.read() as session:
        connection = await session.connection()
        found = await connection.run_sync(lambda held: inspect(held).get_columns("thing"))
    return {column["name"] for column in found}


async def test_migrations_run_once(database_url: str, release: Release) -> None:
    folder = release(3)
    assert await migrated(database_url, folder) == Migrated(0, 3)
    assert await migrated(database_url, folder) == Migrated(3, 3)


async def test_new_revisions_keep_what_is_stored(database_url: str, release: Release) -> None:
    """SQLite makes a table anew beside the rows that refer to it."""
    await migrated(database_url, release(1))
    async with opened(database_url) as database, database.write() as session:
        session.add(Thing(name="kept", value={"deep": [1, None]}))
        await session.flush()
        await session.execute(text("INSERT INTO label VALUES ('kept')"))
    assert await migrated(database_url, release(3)) == Migrated(1, 3)
    async with opened(database_url, needs=3) as database, database.read() as session:
        thing = await session.get_one(Thing, "kept")
        assert thing.value == {"deep": [1, None]}
        assert (await session.execute(text("SELECT size FROM thing"))).scalar() == 1
        assert (await session.execute(text("SELECT thing FROM label"))).scalar() == "kept"


async def test_the_code_of_the_release_before_works_on_the_new_tables(database_url: str, release: Release) -> None:
    """R47: it neither minds that they are newer nor takes them back."""
    before = release(1)
    await migrated(database_url, release(3))
    async with opened(database_url, needs=1) as database:
        async with database.write() as session:
            session.add(Thing(name="old code"))
        assert await names(database) == {"old code"}
    assert await migrated(database_url, before) == Migrated(3, 3)


async def test_code_does_not_wait_for_a_contraction(database_url: str, release: Release) -> None:
    """R47: it works on the tables of the release before, and while they shrink."""
    folder = release(4)
    needed = needed_revision(folder)
    assert (needed, newest_revision(folder)) == (3, 4)
    await migrated(database_url, release(3))
    for name in ("before", "after"):
        async with opened(database_url, needs=needed) as database, database.write() as session:
            session.add(Thing(name=name))
        await migrated(database_url, folder)
    assert "size" not in await columns(database_url)
    async with opened(database_url, needs=needed) as database:
        assert await names(database) == {"before", "after"}


async def test_what_former_code_would_miss_is_found(tmp_path: Path, release: Release) -> None:
    """What the tests of the services' own migrations rest on."""
    url = f"sqlite+aiosqlite:///{tmp_path / 'things.db'}"
    missed = []
    for number in range(1, 5):
        missed.append(await missed_after(url, "things", release(number)))
    assert missed == [set(), set(), set(), {"thing.size"}]


async def test_tables_that_are_older_than_the_code_are_refused_with_what_to_do(
    database_url: str, release: Release
) -> None:
    with pytest.raises(OlderTables, match="not there yet; run `prickle migrate things`"):
        async with opened(database_url, needs=1):
            pass
    await migrated(database_url, release(1))
    with pytest.raises(OlderTables, match="at revision 1 of 2; run `prickle migrate things`"):
        async with opened(database_url, needs=2):
            pass


async def test_a_migration_that_fails_leaves_everything_as_it_was(database_url: str, release: Release) -> None:
    await migrated(database_url, release(3))
    with pytest.raises(CannotMigrate, match="refuses revision 5") as refused:
        await migrated(database_url, release(5))
    assert "secret" not in str(refused.value)
    assert "lost" not in await columns(database_url)
    assert await migrated(database_url, release(2)) == Migrated(3, 3)


async def test_tables_from_before_migrations_are_refused(database_url: str, release: Release) -> None:
    await migrated(database_url, release(1))
    async with opened(database_url) as database, database.write() as session:
        await session.execute(text("DROP TABLE alembic_version"))
    with pytest.raises(CannotMigrate, match="begin with new databases"):
        await migrated(database_url, release(2))


async def test_several_migrations_at_once_take_turns_on_postgresql(postgres: Cluster, release: Release) -> None:
    url, folder = await postgres.new_database(), release(3)
    done = await asyncio.gather(*(migrated(url, folder) for _ in range(4)))
    assert [one.after for one in done] == [3] * 4
    assert "size" in await columns(url)


async def test_a_file_that_is_open_is_not_migrated(tmp_path: Path, release: Release) -> None:
    url, folder = f"sqlite+aiosqlite:///{tmp_path / 'things.db'}", release(1)
    async with opened(url):
        with pytest.raises(DatabaseInUse, match="stop that one first"):
            await migrated(url, folder)


async def test_a_file_that_gateways_share_is_not_migrated_while_one_runs(tmp_path: Path, release: Release) -> None:
    url, folder = f"sqlite+aiosqlite:///{tmp_path / 'things.db'}", release(1)
    gateways = [Database(url, shared=True) for _ in range(2)]
    for gateway in gateways:
        await gateway.open()
    await gateways[0].close()
    with pytest.raises(DatabaseInUse):
        await migrated(url, folder)
    await gateways[1].close()
    assert await migrated(url, folder) == Migrated(0, 1)


async def test_a_role_that_may_make_nothing_works_with_the_tables(postgres: Cluster, release: Release) -> None:
    url = await postgres.new_database()
    await migrated(url, release(1))
    async with opened(url) as database, database.write() as session:
        for statement in GRANTS:
            await session.execute(text(statement))
    async with opened(url.replace("prickle@", "things_service@"), needs=1) as database:
        async with database.write() as session:
            session.add(Thing(name="written"))
        assert await names(database) == {"written"}
