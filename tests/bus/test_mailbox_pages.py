"""R20: what a page of a mailbox holds, what it says about the rest, and which cursors are refused."""

from __future__ import annotations

import pytest

from libs.bus.mailbox import PAGE_BYTES
from libs.contracts.errors import BadCursor
from libs.contracts.mailbox import MailboxPage
from tests.bus.post_office import PostOffice


def told(page: MailboxPage) -> tuple[list[int], int, bool]:
    """The numbers on a page, the position it reaches, and whether there is more."""
    return [entry.number for entry in page.entries], page.position, page.more


async def test_an_empty_mailbox_reaches_nowhere(post_office: PostOffice) -> None:
    page = await post_office.read()
    assert (page.start, told(page)) == (0, ([], 0, False))


async def test_a_page_starts_after_the_cursor(post_office: PostOffice) -> None:
    await post_office.deliver(*["ann/codex"] * 3)
    page = await post_office.read(after=1)
    assert (page.start, told(page)) == (1, ([2, 3], 3, False))


@pytest.mark.parametrize(("limit", "shown", "more"), [(2, [1, 2], True), (3, [1, 2, 3], False), (4, [1, 2, 3], False)])
async def test_more_is_said_only_when_something_is_left(
    post_office: PostOffice, limit: int, shown: list[int], more: bool
) -> None:
    await post_office.deliver(*["ann/codex"] * 3)
    assert told(await post_office.read(limit=limit)) == (shown, shown[-1], more)


async def test_a_page_without_room_for_an_entry_moves_nothing(post_office: PostOffice) -> None:
    await post_office.deliver("ann/codex")
    assert told(await post_office.read(limit=0)) == ([], 0, True)


@pytest.mark.parametrize("after", [1, 2, 10**15])
async def test_a_cursor_from_the_future_is_refused(post_office: PostOffice, after: int) -> None:
    """Of an empty mailbox too."""
    with pytest.raises(BadCursor):
        await post_office.read(after=after)


async def test_a_refused_cursor_acknowledges_nothing(post_office: PostOffice) -> None:
    await post_office.deliver("ann/codex")
    with pytest.raises(BadCursor):
        await post_office.read(after=2, acknowledged=True)
    assert await post_office.numbers() == [1]


async def test_a_page_is_cut_before_it_grows_too_large(post_office: PostOffice) -> None:
    for _ in range(5):
        await post_office.deliver("ann/codex", text="x" * (PAGE_BYTES // 3))
    assert told(await post_office.read()) == ([1, 2], 2, True)
    assert told(await post_office.read(after=2)) == ([3, 4], 4, True)
    assert told(await post_office.read(after=4)) == ([5], 5, False)


async def test_an_entry_larger_than_a_page_is_a_page_of_its_own(post_office: PostOffice) -> None:
    for text in ("x", "x" * 2 * PAGE_BYTES, "x"):
        await post_office.deliver("ann/codex", text=text)
    positions = [(await post_office.read(after=after)).position for after in range(3)]
    assert positions == [1, 2, 3]


async def test_kinds_choose_entries_and_the_page_accounts_for_the_others(post_office: PostOffice) -> None:
    for kind in ("letter", "parcel", "letter", "card"):
        await post_office.deliver("ann/codex", kind=kind)
    assert told(await post_office.read(kinds=["letter"])) == ([1, 3], 4, False)
    assert told(await post_office.read(kinds=["letter"], limit=1)) == ([1], 1, True)
    assert told(await post_office.read(kinds=["letter", "card"], after=1)) == ([3, 4], 4, False)
    assert told(await post_office.read(kinds=[])) == ([], 4, False)


async def test_a_project_chooses_entries(post_office: PostOffice) -> None:
    for project in ("web", None, "app", "web"):
        await post_office.deliver("ann/codex", project=project)
    assert told(await post_office.read(project="web")) == ([1, 4], 4, False)


async def test_entries_of_projects_that_the_recipient_left_are_skipped(post_office: PostOffice) -> None:
    """R26; those of no project stay."""
    for project in ("web", None, "left", "web"):
        await post_office.deliver("ann/codex", project=project)
    assert told(await post_office.read(projects=["web"])) == ([1, 2, 4], 4, False)
    assert told(await post_office.read(projects=[])) == ([2], 4, False)


async def test_bodies_come_back_as_they_were_delivered(post_office: PostOffice) -> None:
    body = {"message": {"text": "Zoë 🧑‍💻 \u2028 \\ \" '", "n": [None, True, 1.5, {}]}}
    await post_office.deliver("ann/codex", project="web", **body)
    (entry,) = (await post_office.read()).entries
    assert (entry.kind, entry.project, entry.at, entry.body) == ("letter", "web", post_office.clock.now, body)
