"""Entries that ride along with their wake-up save a woken wait its reading, and show it nothing else (R20, R23)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from libs.bus.asking import Asker
from libs.bus.envelope import Order, Reply
from libs.bus.following import Follower
from libs.bus.mailbox import RIDING_BYTES
from libs.contracts.mailbox import ReadMailbox
from tests.harness import until
from tests.system.pair import HANDOFF, Pair, ids

Told = Callable[[], None]
ALL = ["rooms", "tasks", "pulse"]


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The services whose mailboxes were read."""
    services: list[str] = []
    sent = Asker.send

    async def send(asker: Asker, order: Order) -> Reply:
        reply = await sent(asker, order)
        if isinstance(order.command, ReadMailbox):
            services.append(order.command.service)
        return reply

    monkeypatch.setattr(Asker, "send", send)
    return services


@pytest.fixture
def told_late(monkeypatch: pytest.MonkeyPatch, pair: Pair) -> Told:
    """From now on gateways hear of entries only when this is called, more than two seconds later."""
    held: list[tuple[Follower, str, list[bytes]]] = []
    hand_on = Follower._hand_on

    def hold(follower: Follower, stream: str, bodies: list[bytes]) -> None:
        if stream == follower.reply_stream:
            return hand_on(follower, stream, bodies)
        return held.append((follower, stream, bodies))

    def tell() -> None:
        pair.site.hub.clock.advance(pair.site.hub.settings.facts_seconds + 0.1)
        monkeypatch.setattr(Follower, "_hand_on", hand_on)
        for follower, stream, bodies in held:
            hand_on(follower, stream, bodies)

    monkeypatch.setattr(Follower, "_hand_on", hold)
    return tell


async def ended(pair: Pair, waiting: asyncio.Task[dict[str, Any]]) -> dict[str, Any]:
    """What a wait answers when its process stops."""
    pair.site.gateway.app.gateway.waits.open_waits()[0].end("drained")
    return await waiting


async def asleep(pair: Pair, reads: list[str], *services: str, **arguments: Any) -> asyncio.Task[dict[str, Any]]:
    """A wait of bob that has read the mailboxes of some services and found nothing."""
    tool = "wait_for_updates" if len(services) > 1 else "wait_for_mention"
    waiting = await pair.site.wait(pair.bob, tool, timeout_seconds=50, **arguments)
    await until(lambda: reads == list(services))
    reads.clear()
    return waiting


async def test_a_woken_wait_reads_nothing(pair: Pair, reads: list[str]) -> None:
    waiting = await asleep(pair, reads, "rooms")
    mention = await pair.mention_bob()
    answer = await waiting
    assert (ids(answer), reads) == ([mention], [])
    assert await pair.heard(cursor=answer["next_cursor"]) == []


async def test_a_woken_wait_reads_what_is_too_large_to_ride(pair: Pair, reads: list[str]) -> None:
    waiting = await asleep(pair, reads, "rooms")
    mention = await pair.mention_bob("x" * RIDING_BYTES)
    assert (ids(await waiting), reads) == ([mention], ["rooms"])


async def test_what_a_task_tells_rides_too(pair: Pair, reads: list[str]) -> None:
    waiting = await asleep(pair, reads, *ALL)
    await pair.call(pair.ann, "handoff", project=pair.project, to=pair.bob, **HANDOFF)
    answer = await waiting
    assert ([update["kind"] for update in answer["updates"]], reads) == (["task_requested"], [])
    rest = await pair.wait(tool="wait_for_updates", cursor=answer["next_cursor"])
    assert rest["updates"] == []


async def test_what_a_filter_leaves_out_rides_past_and_is_kept_for_others(pair: Pair, reads: list[str]) -> None:
    """R21."""
    other = f"{pair.project}-b"
    await pair.site.introduce(other, pair.ann, pair.bob)
    waiting = await asleep(pair, reads, "rooms", project=other)
    skipped = await pair.mention_bob()
    wanted = await pair.call(pair.ann, "post_message", project=other, body=f"@{pair.bob} here")
    answer = await waiting
    assert (ids(answer), reads) == ([wanted["message"]["id"]], [])
    assert await pair.heard() == [skipped, wanted["message"]["id"]]


async def test_nothing_rides_to_who_left_the_project_a_moment_ago(pair: Pair, reads: list[str]) -> None:
    """R26: what the gateway remembers of a moment ago shows nothing."""
    opened = await pair.call(pair.ann, "handoff", project=pair.project, to=pair.bob, **HANDOFF)
    await pair.call(pair.bob, "accept_task", task_id=opened["task"]["task_id"])
    await pair.call(pair.bob, "update_pulse", project=pair.project, doing="Counting.")
    page = await pair.wait(tool="wait_for_updates")
    reads.clear()
    waiting = await asleep(pair, reads, *ALL, cursor=page["next_cursor"])
    owner = pair.ann.partition("/")[0]
    assert (await pair.api("DELETE", f"/projects/{pair.project}/members/{pair.bob}", owner)).status_code == 204
    await pair.call(pair.ann, "cancel_task", task_id=opened["task"]["task_id"], reason="Not needed.")
    await until(lambda: len(reads) >= len(ALL))
    answer = await ended(pair, waiting)
    assert (answer["updates"], answer["timed_out"]) == ([], True)


async def test_what_was_redacted_before_the_gateway_heard_of_it_is_shown_to_nobody(
    pair: Pair, reads: list[str], told_late: Told
) -> None:
    """R23: the wake-up still has the text, as a stream does that is read late or once more."""
    waiting = await asleep(pair, reads, "rooms")
    message = await pair.mention_bob("a secret")
    owner = pair.ann.partition("/")[0]
    path = f"/projects/{pair.project}/messages/{message}/redact"
    assert (await pair.api("POST", path, owner)).status_code == 200
    told_late()
    await until(lambda: reads)
    answer = await ended(pair, waiting)
    assert (answer["mentions"], answer["timed_out"]) == ([], True)


async def test_a_mention_heard_of_late_is_not_shown_to_who_has_left_meanwhile(
    pair: Pair, reads: list[str], told_late: Told
) -> None:
    """R26."""
    waiting = await asleep(pair, reads, "rooms")
    await pair.mention_bob()
    owner = pair.ann.partition("/")[0]
    assert (await pair.api("DELETE", f"/projects/{pair.project}/members/{pair.bob}", owner)).status_code == 204
    told_late()
    await until(lambda: reads)
    answer = await ended(pair, waiting)
    assert (answer["mentions"], answer["timed_out"]) == ([], True)


async def test_what_is_heard_of_late_is_delivered_all_the_same(pair: Pair, reads: list[str], told_late: Told) -> None:
    """R22."""
    waiting = await asleep(pair, reads, "rooms")
    mention = await pair.mention_bob()
    told_late()
    assert (ids(await waiting), reads) == ([mention], ["rooms"])
