"""R21: without a cursor a recipient starts where it last acknowledged, per tool."""

from __future__ import annotations

import pytest

from tests.bus.post_office import PostOffice, opened_post_office


@pytest.fixture(autouse=True)
async def five_entries(post_office: PostOffice) -> None:
    await post_office.deliver(*["ann/codex"] * 5)


async def write_positions(office: PostOffice) -> None:
    """What a service does each second."""
    async with office.executor.database.write() as session:
        await office.executor.positions.write(session)
    office.executor.positions.written(office.executor.positions.snapshot())


async def test_reading_alone_acknowledges_nothing(post_office: PostOffice) -> None:
    assert await post_office.numbers() == await post_office.numbers() == [1, 2, 3, 4, 5]


async def test_a_passed_cursor_is_where_the_next_read_starts(post_office: PostOffice) -> None:
    await post_office.read(after=3, acknowledged=True)
    page = await post_office.read()
    assert (page.start, [entry.number for entry in page.entries]) == (3, [4, 5])


async def test_a_filtered_cursor_moves_nothing(post_office: PostOffice) -> None:
    await post_office.read(after=3, acknowledged=False, kinds=["letter"])
    assert await post_office.numbers() == [1, 2, 3, 4, 5]


async def test_an_older_cursor_moves_nothing_back(post_office: PostOffice) -> None:
    await post_office.read(after=4, acknowledged=True)
    assert await post_office.numbers(after=2, acknowledged=True) == [3, 4, 5]
    assert await post_office.numbers() == [5]


async def test_tools_and_recipients_have_positions_of_their_own(post_office: PostOffice) -> None:
    await post_office.deliver(*["bob/codex"] * 5)
    await post_office.read(after=4, acknowledged=True)
    assert await post_office.numbers(tool="other") == await post_office.numbers("bob/codex") == [1, 2, 3, 4, 5]


async def test_a_written_position_outlives_the_process(post_office: PostOffice) -> None:
    await post_office.read(after=4, acknowledged=True)
    await write_positions(post_office)
    assert not post_office.executor.positions.unwritten
    assert await post_office.numbers() == [5]


async def test_a_replica_moves_no_position_back(request: pytest.FixtureRequest) -> None:
    """Each replica writes what it heard; the furthest stays."""
    url = await request.getfixturevalue("postgres").new_database()
    async with opened_post_office(url) as one, opened_post_office(url) as other:
        await one.deliver(*["ann/codex"] * 5)
        await one.read(after=4, acknowledged=True)
        await other.read(after=2, acknowledged=True)
        await write_positions(one)
        await write_positions(other)
        assert await one.numbers() == await other.numbers() == [5]


async def test_a_cursor_passed_while_positions_are_written_is_not_forgotten(post_office: PostOffice) -> None:
    await post_office.read(after=2, acknowledged=True)
    numbers = post_office.executor.positions.snapshot()
    await post_office.read(after=4, acknowledged=True)
    post_office.executor.positions.written(numbers)
    assert await post_office.numbers() == [5]
