"""Each service under its own PostgreSQL role: it has its rows and nothing else."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

import asyncpg
import pytest
from sqlalchemy import delete, insert
from sqlalchemy.engine import make_url

from libs.bus.tables import MAILBOXES
from libs.runtime.migrating import migrated, needed_revision
from libs.runtime.settings import load_settings
from libs.storage import Database
from tests.databases import Cluster
from tests.harness import SERVICES

DEPLOY = Path(__file__).parents[2] / "deploy"
USERS = ("gateway", *SERVICES)
TABLE = "CREATE TABLE {}.things (name text, number serial)"


@pytest.fixture(scope="module")
async def database(postgres: Cluster, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A database that the roles were made for, twice, and that the owner migrated, with one more table a schema."""
    secrets, name = tmp_path_factory.mktemp("secrets"), make_url(await postgres.new_database()).database
    await asyncio.to_thread(subprocess.run, [DEPLOY / "secrets" / "create", secrets], check=True)
    target = ["--dbname", f"postgresql://prickle@127.0.0.1:{postgres.port}/{name}", "--set=ON_ERROR_STOP=1", "--quiet"]
    script = [f"--set=secrets={secrets}/passwords", "--file", DEPLOY / "postgres" / "roles.sql"]
    for _ in range(2):
        await asyncio.to_thread(subprocess.run, [postgres.programs / "psql", *target, *script], check=True)
    url = f"postgresql://{{}}@127.0.0.1:{postgres.port}/{name}"
    await asyncio.to_thread(lambda: list(migrated(USERS, load_settings(database_url=own(url, "prickle_owner")))))
    await run(url.format("prickle_owner"), *(TABLE.format(service) for service in USERS))
    return url


def own(url: str, role: str) -> str:
    """The URL in the settings of whoever has a role."""
    return url.format(role).replace("postgresql://", "postgresql+asyncpg://")


async def run(url: str, *statements: str) -> None:
    """Carry statements out under the role of a URL."""
    connection = await asyncpg.connect(url)
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()


@pytest.mark.parametrize("service", USERS)
async def test_a_service_reads_and_writes_the_rows_that_the_owner_made_room_for(database: str, service: str) -> None:
    words = ("INSERT INTO {} VALUES ('a')", "UPDATE {} SET name = 'b'", "SELECT * FROM {}", "DELETE FROM {}")
    await run(database.format(f"prickle_{service}"), *(word.format(f"{service}.things") for word in words))


@pytest.mark.parametrize("service", USERS)
async def test_a_service_opens_the_tables_that_the_owner_migrated(database: str, service: str) -> None:
    opened = Database(own(database, f"prickle_{service}"), schema=service)
    await opened.open(needed_revision(service))
    async with opened.write() as session:
        await session.execute(insert(MAILBOXES).values(recipient="maya/codex", last=0))
        await session.execute(delete(MAILBOXES))
    await opened.close()


@pytest.mark.parametrize("service", USERS)
async def test_a_service_neither_changes_tables_nor_sees_those_of_another(database: str, service: str) -> None:
    others = sorted({*USERS} - {service})
    for refused in (
        f"CREATE TABLE {service}.more (name text)",
        f"ALTER TABLE {service}.things ADD COLUMN more text",
        f"TRUNCATE {service}.things",
        "CREATE TABLE public.more (name text)",
        "CREATE SCHEMA more",
        *(f"SELECT * FROM {other}.things" for other in others),
    ):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await run(database.format(f"prickle_{service}"), refused)


async def test_nobody_else_is_let_into_the_database(postgres: Cluster, database: str) -> None:
    await run(postgres.url("postgres").replace("+asyncpg", ""), "CREATE ROLE stranger LOGIN")
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await run(database.format("stranger"), "SELECT 1")
