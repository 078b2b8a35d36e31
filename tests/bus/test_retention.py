"""R26: entries are kept a month at most, and a day at least once they are acknowledged."""

from __future__ import annotations

from libs.bus.retention import _acknowledged, clean
from libs.storage.sqlite import WAITING
from tests.bus.post_office import PostOffice
from tests.bus.test_mailbox_positions import write_positions

DAY = 86400.0


async def acknowledge(office: PostOffice, number: int, tool: str = "wait") -> None:
    await office.read(tool=tool, after=number, acknowledged=True)
    await write_positions(office)


async def test_what_nobody_acknowledged_is_kept_for_a_month(post_office: PostOffice) -> None:
    await post_office.deliver("ann/codex")
    post_office.clock.advance(30 * DAY - 1)
    await clean(post_office.executor)
    assert await post_office.numbers() == [1]
    post_office.clock.advance(2)
    await clean(post_office.executor)
    assert await post_office.numbers() == []


async def test_what_was_acknowledged_is_kept_for_a_day(post_office: PostOffice) -> None:
    await post_office.deliver(*["ann/codex"] * 3)
    await acknowledge(post_office, 2)
    post_office.clock.advance(DAY - 1)
    await clean(post_office.executor)
    assert await post_office.numbers(after=0) == [1, 2, 3]
    post_office.clock.advance(2)
    await clean(post_office.executor)
    assert await post_office.numbers(after=0) == [3]


async def test_an_entry_waits_for_every_tool_of_its_recipient(post_office: PostOffice) -> None:
    """One that waits for mentions only must not drop what the other tool has yet to show."""
    await post_office.deliver(*["ann/codex"] * 3)
    await acknowledge(post_office, 3, "wait_for_mention")
    await acknowledge(post_office, 1, "wait_for_updates")
    post_office.clock.advance(2 * DAY)
    await clean(post_office.executor)
    page = await post_office.read(tool="wait_for_updates")
    assert ([entry.number for entry in page.entries], page.resync) == ([2, 3], False)


async def test_a_cursor_older_than_what_is_kept_gets_what_remains_and_a_warning(post_office: PostOffice) -> None:
    await post_office.deliver(*["ann/codex"] * 3)
    post_office.clock.advance(31 * DAY)
    await post_office.deliver("ann/codex")
    await clean(post_office.executor)
    stale = await post_office.read(after=1)
    assert ([entry.number for entry in stale.entries], stale.resync, stale.position) == ([4], True, 4)
    current = await post_office.read(after=3)
    assert ([entry.number for entry in current.entries], current.resync) == ([4], False)


async def test_who_never_waited_is_warned_of_what_is_gone(post_office: PostOffice) -> None:
    await post_office.deliver("ann/codex")
    post_office.clock.advance(31 * DAY)
    await clean(post_office.executor)
    assert (await post_office.read()).resync


async def test_numbers_go_on_after_everything_was_dropped(post_office: PostOffice) -> None:
    await post_office.deliver("ann/codex")
    post_office.clock.advance(31 * DAY)
    await clean(post_office.executor)
    await post_office.deliver("ann/codex")
    assert await post_office.numbers() == [2]


async def test_many_mailboxes_are_cleaned_at_once_and_the_others_left_alone(post_office: PostOffice) -> None:
    await post_office.deliver(*[f"agent-{number}/codex" for number in range(50)])
    post_office.clock.advance(31 * DAY)
    await post_office.deliver("agent-0/codex", "ann/codex")
    await clean(post_office.executor)
    assert await post_office.numbers("agent-49/codex") == []
    assert await post_office.numbers("agent-0/codex") == [2]
    assert await post_office.numbers("ann/codex") == [1]


async def test_the_search_for_old_entries_is_one_that_leaves_the_loop_to_others() -> None:
    """SQLite runs other statements where they are asked for."""
    assert str(_acknowledged()).startswith(WAITING)
