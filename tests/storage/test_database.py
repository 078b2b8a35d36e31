"""Transactions, and who may open a database."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from sqlalchemy import update
from sqlalchemy.exc import IntegrityError

from libs.storage import Database, insert_into
from libs.storage.database import DatabaseInUse
from tests.storage.things import Thing, names, opened


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    return f"sqlite+aiosqlite:///{tmp_path / 'things.db'}"


async def test_a_transaction_is_committed_when_its_block_ends(database_url: str) -> None:
    async with opened(database_url) as database:
        async with database.write() as session:
            session.add(Thing(name="kept"))
        assert await names(database) == {"kept"}


async def test_a_transaction_is_rolled_back_when_its_block_raises(database_url: str) -> None:
    async with opened(database_url) as database:

        async def crash() -> None:
            async with database.write() as session:
                session.add(Thing(name="lost"))
                await session.flush()
                raise KeyError

        with pytest.raises(KeyError):
            await crash()
        assert await names(database) == set()


async def test_a_cancelled_transaction_is_rolled_back_and_blocks_nobody(database_url: str) -> None:
    async with opened(database_url) as database:
        written = asyncio.Event()

        async def hang() -> None:
            async with database.write() as session:
                session.add(Thing(name="cancelled"))
                await session.flush()
                written.set()
                await asyncio.Event().wait()

        task = asyncio.create_task(hang())
        await written.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        async with asyncio.timeout(5), database.write() as session:
            session.add(Thing(name="next"))
        assert await names(database) == {"next"}


async def test_what_is_not_committed_is_read_by_nobody(database_url: str) -> None:
    async with opened(database_url) as database:
        async with database.write() as session:
            session.add(Thing(name="open"))
            await session.flush()
            assert await names(database) == set()
        assert await names(database) == {"open"}


async def test_postgresql_runs_transactions_beside_each_other(request: pytest.FixtureRequest) -> None:
    url = await request.getfixturevalue("postgres").new_database()
    async with opened(url) as database, asyncio.timeout(10), database.write() as first:
        first.add(Thing(name="first"))
        await first.flush()
        async with database.write() as second:
            second.add(Thing(name="second"))
        assert await names(database) == {"second"}


async def test_sqlite_lets_one_transaction_write_at_a_time(sqlite_url: str) -> None:
    async with opened(sqlite_url) as database:
        order: list[str] = []

        async def write(name: str) -> None:
            async with database.write() as session:
                order.append(f"{name} begins")
                session.add(Thing(name=name))
                await session.flush()
                order.append(f"{name} ends")

        await asyncio.gather(*(write(name) for name in "abc"))
        assert order == [f"{name} {verb}" for name in "abc" for verb in ("begins", "ends")]


async def test_counting_up_at_once_loses_no_step(database_url: str) -> None:
    async with opened(database_url) as database:
        async with database.write() as session:
            session.add(Thing(name="counter", value=0))

        async def count() -> None:
            async with database.write() as session:
                thing = await session.get(Thing, "counter", with_for_update=True)
                assert thing is not None
                await session.execute(update(Thing).values(value=thing.value + 1))

        await asyncio.gather(*(count() for _ in range(16)))
        async with database.read() as session:
            assert (await session.get_one(Thing, "counter")).value == 16


async def test_of_two_that_insert_one_key_at_once_one_is_refused(database_url: str) -> None:
    async with opened(database_url) as database:

        async def insert() -> None:
            async with database.write() as session:
                session.add(Thing(name="same"))

        said = await asyncio.gather(*(insert() for _ in range(4)), return_exceptions=True)
        assert [type(one) for one in said if one] == [IntegrityError] * 3


async def test_an_insert_gives_way_to_what_is_there(database_url: str) -> None:
    async with opened(database_url) as database:
        for value in (1, 2):
            async with database.write() as session:
                insert = insert_into(session, Thing).values(name="one", value=value)
                taken = {"value": insert.excluded.value}
                await session.execute(insert.on_conflict_do_update(index_elements=["name"], set_=taken))
        async with database.read() as session:
            assert (await session.get_one(Thing, "one")).value == 2


async def test_services_on_one_postgresql_see_their_own_tables_only(request: pytest.FixtureRequest) -> None:
    url = await request.getfixturevalue("postgres").new_database()
    async with opened(url, "rooms") as rooms, opened(url, "tasks") as tasks:
        async with rooms.write() as session:
            session.add(Thing(name="room"))
        assert (await names(rooms), await names(tasks)) == ({"room"}, set())


async def test_replicas_open_a_new_database_at_once(request: pytest.FixtureRequest) -> None:
    url = await request.getfixturevalue("postgres").new_database()

    async def replica(name: str) -> None:
        async with opened(url) as database, database.write() as session:
            session.add(Thing(name=name))

    await asyncio.gather(*(replica(name) for name in "abcd"))
    async with opened(url) as database:
        assert await names(database) == set("abcd")


async def test_a_second_owner_of_a_file_is_told_that_it_is_in_use(sqlite_url: str) -> None:
    async with opened(sqlite_url):
        with pytest.raises(DatabaseInUse, match="stop that one first"):
            async with opened(sqlite_url):
                pass
    async with opened(sqlite_url) as database:
        assert await names(database) == set()


async def test_a_shared_file_is_opened_by_several(sqlite_url: str) -> None:
    """The gateways of one machine share the directory."""
    async with opened(sqlite_url, shared=True) as one, opened(sqlite_url, shared=True) as other:

        async def write(database: Database, name: str) -> None:
            async with database.write() as session:
                session.add(Thing(name=name))

        await asyncio.gather(*(write(database, f"{number}") for number, database in enumerate([one, other] * 20)))
        assert await names(one) == await names(other) == {str(number) for number in range(40)}


async def test_who_gives_up_waiting_for_a_shared_file_holds_up_nobody(sqlite_url: str) -> None:
    async with opened(sqlite_url, shared=True) as one, opened(sqlite_url, shared=True) as other:

        async def write(database: Database, name: str) -> None:
            async with database.write() as session:
                session.add(Thing(name=name))

        async with one.write() as session:
            session.add(Thing(name="first"))
            await session.flush()
            waiting = asyncio.create_task(write(other, "given up"))
            await asyncio.wait([waiting], timeout=0.2)
            waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        async with asyncio.timeout(5):
            await asyncio.gather(write(one, "second"), write(other, "third"))
        assert await names(one) == {"first", "second", "third"}


async def test_a_shared_file_is_made_with_its_folder(tmp_path: Path) -> None:
    async with opened(f"sqlite+aiosqlite:///{tmp_path / 'new' / 'folder' / 'things.db'}", shared=True) as database:
        assert await names(database) == set()
