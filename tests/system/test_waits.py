"""Waits over HTTP: nothing that was committed is missed, and no cursor takes a wait past what it skipped."""

from __future__ import annotations

import asyncio

from tests.harness import until
from tests.system.pair import Pair, both_eras, ids, kinds

pytestmark = both_eras

EVERYTHING = {"task_requested", "mention"}


async def test_a_mention_before_the_first_wait_is_returned_by_it(pair: Pair) -> None:
    """R22."""
    mention = await pair.mention_bob()
    assert await pair.heard() == [mention]


async def test_a_mention_between_two_waits_is_returned_by_the_second_once(pair: Pair) -> None:
    """R22."""
    first = await pair.wait()
    assert (first["mentions"], first["timed_out"]) == ([], True)
    mention = await pair.mention_bob()
    second = await pair.wait(cursor=first["next_cursor"])
    assert (ids(second), second["timed_out"]) == ([mention], False)
    assert await pair.heard(cursor=second["next_cursor"]) == []


async def test_what_was_not_acknowledged_is_returned_again(pair: Pair) -> None:
    """R20: being sent acknowledges nothing, passing the cursor does."""
    mention = await pair.mention_bob()
    assert await pair.heard() == await pair.heard() == [mention]
    answer = await pair.wait()
    await pair.wait(cursor=answer["next_cursor"])
    assert await pair.heard() == []


async def test_an_old_cursor_returns_what_followed_it_again(pair: Pair) -> None:
    """R20: a client that lost its newest cursor goes on with an older one."""
    start = await pair.wait()
    mentions = [await pair.mention_bob() for _ in range(3)]
    newest = await pair.wait(cursor=start["next_cursor"])
    await pair.wait(cursor=newest["next_cursor"])
    assert await pair.heard(cursor=start["next_cursor"]) == mentions


async def test_an_open_wait_returns_what_is_posted_meanwhile(pair: Pair) -> None:
    """R23."""
    waiting = await pair.site.wait(pair.bob, era=pair.era)
    mention = await pair.mention_bob()
    assert ids(await waiting) == [mention]


async def test_an_open_wait_for_updates_hears_of_messages_and_tasks(pair: Pair) -> None:
    """R23: it reads two mailboxes, and each of them wakes it."""
    waiting = await pair.site.wait(pair.ann, "wait_for_updates", era=pair.era)
    await pair.post(pair.bob, f"@{pair.ann} what now?")
    answer = await waiting
    assert kinds(answer) == ["mention"]
    task_id = await pair.hand_off()
    waiting = await pair.site.wait(
        pair.ann, "wait_for_updates", era=pair.era, cursor=answer["next_cursor"], timeout_seconds=20
    )
    await pair.take(task_id)
    assert kinds(await waiting) == ["task_updated"]


async def test_pages_across_mailboxes_lose_and_repeat_nothing(pair: Pair) -> None:
    """R20: where the limit cuts, the cursor stops in each mailbox by itself."""
    mentions, tasks = [], []
    for number in range(3):
        mentions.append(await pair.mention_bob())
        tasks.append(await pair.hand_off(title=f"Task {number}"))
    updates = await pair.updates(limit=2)
    assert [update["message"]["id"] for update in updates if update["kind"] == "mention"] == mentions
    assert [update["task"]["task_id"] for update in updates if update["kind"] == "task_requested"] == tasks
    assert len(updates) == 6


async def test_a_filter_skips_nothing_for_the_unfiltered_wait(pair: Pair) -> None:
    """R21."""
    mention = await pair.mention_bob()
    task_id = await pair.hand_off()
    kind = {"tool": "wait_for_updates", "kinds": ["task_requested"]}
    filtered = await pair.wait(**kind)
    assert kinds(filtered) == ["task_requested"]
    again = await pair.wait(**kind, cursor=filtered["next_cursor"])
    assert again["timed_out"]
    updates = (await pair.wait(tool="wait_for_updates"))["updates"]
    assert {update["kind"] for update in updates} == EVERYTHING
    assert mention in [update["message"]["id"] for update in updates if update["kind"] == "mention"]
    assert task_id in [update["task"]["task_id"] for update in updates if update["kind"] == "task_requested"]


async def test_a_project_filter_skips_nothing_for_the_unfiltered_wait(pair: Pair) -> None:
    """R21."""
    other = f"{pair.project}-b"
    await pair.site.introduce(other, pair.ann, pair.bob)
    mention = await pair.mention_bob()
    elsewhere = await pair.wait(project=other)
    assert elsewhere["timed_out"]
    await pair.wait(project=other, cursor=elsewhere["next_cursor"])
    assert await pair.heard() == [mention]


async def test_the_remembered_position_never_goes_back(pair: Pair) -> None:
    """R21: an old cursor gives what followed it, and the furthest one counts."""
    start = await pair.wait()
    mention = await pair.mention_bob()
    newest = await pair.wait(cursor=start["next_cursor"])
    await pair.wait(cursor=newest["next_cursor"])
    assert await pair.heard(cursor=start["next_cursor"]) == [mention]
    assert await pair.heard() == []


async def test_a_cursor_older_than_what_is_kept_gets_what_remains_and_is_told_to_resync(pair: Pair) -> None:
    """R26: entries are kept for 30 days."""
    rooms = pair.site.hub.services["rooms"].bus
    start = await pair.wait()
    await pair.mention_bob("forgotten")
    pair.site.hub.clock.advance(seconds=31 * 86400)
    remaining = await pair.mention_bob("kept")
    await rooms.clean()
    answer = await pair.wait(cursor=start["next_cursor"])
    assert (ids(answer), answer["resync"]) == ([remaining], True)
    assert "resync" not in await pair.wait(cursor=answer["next_cursor"])


async def test_each_tool_has_a_position_of_its_own(pair: Pair) -> None:
    """R21."""
    mention = await pair.mention_bob()
    updates = await pair.wait(tool="wait_for_updates")
    await pair.wait(tool="wait_for_updates", cursor=updates["next_cursor"])
    assert await pair.heard() == [mention]


async def test_one_agent_in_two_windows_hears_in_both(pair: Pair) -> None:
    """R24."""
    windows = [await pair.site.wait(pair.bob, era=pair.era) for _ in range(2)]
    mention = await pair.mention_bob()
    assert [ids(await window) for window in windows] == [[mention], [mention]]


async def test_the_ninth_wait_ends_the_oldest_and_no_other(pair: Pair) -> None:
    """R24: the oldest is told to stay away for a while, so the nine do not chase each other."""
    windows = [await pair.site.wait(pair.bob, era=pair.era, timeout_seconds=40) for _ in range(8)]
    ninth = asyncio.create_task(pair.wait(timeout_seconds=40))
    oldest = await windows[0]
    assert (oldest["timed_out"], oldest["mentions"], oldest["retry_after_seconds"]) == (True, [], 30)
    await until(lambda: len(pair.site.gateway.app.gateway.waits.open_waits()) == 8)
    assert not any(window.done() for window in windows[1:])
    mention = await pair.mention_bob()
    assert [ids(await window) for window in [*windows[1:], ninth]] == [[mention]] * 8
    assert await pair.heard(cursor=oldest["next_cursor"]) == [mention]


async def test_the_longest_timeout_is_below_the_minute_at_which_clients_give_up(pair: Pair) -> None:
    """R25."""
    await pair.mention_bob()
    assert (await pair.wait(timeout_seconds=600))["effective_timeout_seconds"] == 50


async def test_a_wait_for_somebody_elses_project_is_refused(pair: Pair) -> None:
    """R1: not even whether it exists is told."""
    for project in (f"{pair.project}-nowhere", (await Pair.meet(pair.site)).project):
        refusal = await pair.refused(pair.bob, "wait_for_mention", project=project)
        assert (refusal.code, refusal.field) == ("not_found", "project")
