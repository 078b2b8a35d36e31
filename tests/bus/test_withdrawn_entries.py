"""Entries that are taken back: nobody reads them any more, and the mailbox goes on behind them."""

from __future__ import annotations

from libs.bus.mailbox import withdraw
from tests.bus.post_office import PostOffice


async def withdraw_secrets(post_office: PostOffice) -> None:
    """Take back the secrets among what was delivered at this moment."""
    async with post_office.executor.begin() as work:
        await withdraw(work, post_office.clock.now, lambda body: "secret" in body)


async def test_only_what_is_concerned_goes_from_every_mailbox(post_office: PostOffice) -> None:
    await post_office.deliver("ann/codex", "bob/codex", label="first")
    await post_office.deliver("ann/codex", "bob/codex", secret="tulip")
    await post_office.deliver("ann/codex", label="last")
    await withdraw_secrets(post_office)
    assert await post_office.numbers("ann/codex") == [1, 3]
    assert await post_office.numbers("bob/codex") == [1]


async def test_what_was_delivered_at_another_moment_stays(post_office: PostOffice) -> None:
    await post_office.deliver("ann/codex", secret="tulip")
    post_office.clock.advance(seconds=1)
    await withdraw_secrets(post_office)
    assert await post_office.numbers() == [1]


async def test_a_withdrawn_number_is_not_given_out_again_and_a_cursor_may_stand_on_it(post_office: PostOffice) -> None:
    """R19, R20."""
    await post_office.deliver("ann/codex", secret="tulip")
    await withdraw_secrets(post_office)
    page = await post_office.read(after=0)
    assert (page.entries, page.position, page.more, page.resync) == ([], 1, False, False)
    await post_office.deliver("ann/codex")
    assert await post_office.numbers(after=page.position) == [2]


async def test_withdrawing_again_or_nothing_is_harmless(post_office: PostOffice) -> None:
    await post_office.deliver("ann/codex")
    for _ in range(2):
        await withdraw_secrets(post_office)
    assert await post_office.numbers() == [1]
