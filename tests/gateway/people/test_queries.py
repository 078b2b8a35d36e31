"""What query strings say is checked like a body."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import Field
from starlette.requests import Request

from libs.contracts.base import Data, absent
from libs.contracts.errors import InvalidInput
from libs.contracts.types import Time
from services.gateway.people.bodies import read


class Asked(Data):
    """An input of every form."""

    limit: Annotated[int, Field(ge=1, le=50)] = 20
    count: int | None = None
    states: list[str] | None = absent()
    word: str | None = absent(max_length=5)
    since: Time | None = None


async def said(query: str) -> Asked:
    scope: dict[str, Any] = {"type": "http", "method": "GET", "query_string": query.encode(), "headers": []}
    return await read(Request(scope | {"path_params": {}}), Asked)


async def test_numbers_lists_and_texts_are_read_by_the_fields_that_they_are_for() -> None:
    asked = await said("limit=5&count=-3&states=a&states=b&word=20&unknown=x")
    assert asked.model_dump(exclude={"since"}) == {"limit": 5, "count": -3, "states": ["a", "b"], "word": "20"}
    assert (await said("since=2026-03-01T09:00:00Z")).since is not None
    assert await said("") == Asked()


async def test_of_a_field_that_is_no_list_the_last_value_counts() -> None:
    assert (await said("word=a&word=b")).word == "b"


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("limit=0", "limit"),
        ("limit=many", "limit"),
        ("limit=5.5", "limit"),
        ("limit=" + "9" * 5000, "limit"),
        ("word=longer", "word"),
        ("word=a%00b", "word"),
        ("since=yesterday", "since"),
    ],
)
async def test_a_wrong_value_is_refused_by_field(query: str, field: str) -> None:
    """R48: a clear error, whatever is sent."""
    with pytest.raises(InvalidInput) as refused:
        await said(query)
    assert refused.value.data.field == field
