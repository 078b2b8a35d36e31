"""Reading a room by number."""

from __future__ import annotations

import pytest

from libs.contracts.errors import BadCursor, NotFound
from libs.contracts.rooms import MessagesPage, ReadMessages
from tests.harness import Hub
from tests.rooms.given import fresh, post, project_of

SERVICES = ("rooms",)


async def read(hub: Hub, project: str, **asked: object) -> MessagesPage:
    return await hub.ask(ReadMessages.model_validate({"project": project, **asked}), "maya")


def bodies(page: MessagesPage) -> list[str]:
    return [message.body for message in page.messages]


@pytest.fixture
async def project(hub: Hub) -> str:
    """A room with the messages 1 to 5."""
    slug = await project_of(hub, "maya", "jonas")
    for number in range(1, 6):
        await post(hub, slug, "jonas", str(number))
    return slug


async def test_a_room_is_read_page_by_page_oldest_first(hub: Hub, project: str) -> None:
    page = await read(hub, project, limit=2)
    assert (bodies(page), page.last_number, page.more) == (["1", "2"], 2, True)
    page = await read(hub, project, limit=2, after_number=page.last_number)
    assert (bodies(page), page.last_number, page.more) == (["3", "4"], 4, True)
    page = await read(hub, project, limit=2, after_number=page.last_number)
    assert (bodies(page), page.last_number, page.more) == (["5"], 5, False)


async def test_a_last_page_that_is_exactly_full_is_the_last(hub: Hub, project: str) -> None:
    page = await read(hub, project, limit=5)
    assert (bodies(page), page.more) == (["1", "2", "3", "4", "5"], False)


async def test_a_room_can_be_followed_from_its_end(hub: Hub, project: str) -> None:
    page = await read(hub, project, after_number=5)
    assert (page.messages, page.last_number, page.more) == ([], 5, False)
    await post(hub, project, "maya", "6")
    assert bodies(await read(hub, project, after_number=page.last_number)) == ["6"]


async def test_a_message_is_a_cursor_too(hub: Hub, project: str) -> None:
    third = (await read(hub, project)).messages[2]
    assert bodies(await read(hub, project, after_message=third.id)) == ["4", "5"]
    last = (await read(hub, project)).messages[4]
    page = await read(hub, project, after_message=last.id)
    assert (page.messages, page.last_number) == ([], 5)


async def test_a_message_of_another_room_is_no_cursor(hub: Hub, project: str) -> None:
    elsewhere = await post(hub, await project_of(hub, "maya"), "maya", "elsewhere")
    for unknown in (elsewhere.id, "msg_none"):
        with pytest.raises(BadCursor) as refusal:
            await read(hub, project, after_message=unknown)
        assert refusal.value.data.field == "cursor"


@pytest.mark.parametrize("letter", ["a", "語", "\x01", '"'])
async def test_a_page_ends_before_it_exceeds_64_kib(hub: Hub, letter: str) -> None:
    slug = await project_of(hub, "maya")
    for _ in range(10):
        await post(hub, slug, "maya", letter * 8000)
    sizes, seen, more = [], 0, True
    while more:
        page = await read(hub, slug, after_number=seen)
        sizes.append(len(page.model_dump_json().encode()))
        seen, more = page.last_number, page.more
    assert seen == 10
    assert max(sizes) < 64 * 1024


@pytest.mark.parametrize("who", ["eve", "maya/codex", "operator"])
async def test_only_members_read_messages(hub: Hub, project: str, who: str) -> None:
    with pytest.raises(NotFound) as refusal:
        await hub.ask(ReadMessages(project=project), who)
    with pytest.raises(NotFound) as unknown:
        await hub.ask(ReadMessages(project=fresh()), who)
    assert refusal.value.data == unknown.value.data
