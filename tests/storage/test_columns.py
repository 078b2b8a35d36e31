"""What is stored comes back the same from either database."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from sqlalchemy import select, text

from tests.storage.things import Thing, opened

INDIA = timezone(timedelta(hours=5, minutes=30))
NOON = datetime(2026, 11, 30, 12, 0, 0, 123456, tzinfo=UTC)
VALUES = [
    {},
    [],
    "",
    0,
    False,
    True,
    -1.5,
    1e300,
    2**53 + 1,
    2**63 - 1,
    "null",
    {"null": None, "list": [None, {"deep": [[]]}]},
    "emoji 🧑‍💻, Zoë, עברית, \u200b\u2028\ufeff\ufffd\U0010ffff",
    "quotes \" ' \\ / and \t\n\r\x01\x7f",
    {"": "empty key", "a.b $[0]": "odd key", "Zoë": 1},
    ["x" * 100_000],
]


async def stored(url: str, **fields: Any) -> Thing:
    """A thing as another transaction reads it."""
    async with opened(url) as database:
        async with database.write() as session:
            session.add(Thing(name="thing", **fields))
        async with database.read() as session:
            return await session.get_one(Thing, "thing")


@pytest.mark.parametrize("value", VALUES, ids=lambda value: repr(value)[:30])
async def test_a_json_value_comes_back_the_same(database_url: str, value: Any) -> None:
    back = (await stored(database_url, value=value)).value
    assert back == value
    assert type(back) is type(value)


async def test_no_json_value_is_no_value_in_the_database_too(database_url: str) -> None:
    async with opened(database_url) as database:
        async with database.write() as session:
            session.add(Thing(name="thing", value=None))
        async with database.read() as session:
            assert (await session.execute(text("SELECT count(*) FROM thing WHERE value IS NULL"))).scalar() == 1
            assert (await session.get_one(Thing, "thing")).value is None


@pytest.mark.parametrize("moment", [NOON, NOON.astimezone(INDIA), NOON.replace(microsecond=0)], ids=str)
async def test_a_moment_comes_back_as_the_same_one_in_utc(database_url: str, moment: datetime) -> None:
    back = (await stored(database_url, at=moment)).at
    assert back == moment
    assert back.tzinfo is UTC


async def test_no_moment_comes_back_as_none(database_url: str) -> None:
    assert (await stored(database_url)).at is None


async def test_a_moment_without_a_zone_is_refused(database_url: str) -> None:
    """Whose noon it was, nobody could tell any more."""
    with pytest.raises(Exception, match="time zone"):
        await stored(database_url, at=NOON.replace(tzinfo=None))


async def test_moments_are_ordered_and_compared_as_moments(database_url: str) -> None:
    """Whatever zones they were written in, on the same second or not."""
    moments = [NOON.replace(microsecond=0), NOON.astimezone(INDIA), NOON + timedelta(microseconds=1)]
    async with opened(database_url) as database:
        async with database.write() as session:
            session.add_all([Thing(name=str(number), at=moment) for number, moment in enumerate(moments)])
        async with database.read() as session:
            names = select(Thing.name)
            ordered = (await session.execute(names.order_by(Thing.at))).scalars().all()
            later = (await session.execute(names.where(Thing.at > NOON.astimezone(INDIA)))).scalars().all()
    assert (ordered, later) == (["0", "1", "2"], ["2"])
