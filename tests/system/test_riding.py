"""Entries that ride along with their wake-up save a woken wait its reading, and show it nothing else (R20, R23)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from libs.bus.asking import Asker
from libs.bus.envelope import Order, Reply
from libs.bus.mailbox import RIDING_BYTES
from libs.contracts.mailbox import ReadMailbox
from tests.harness import until
from tests.system.pair import HANDOFF, Pair, ids

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
    pair.site.gateway.app.gateway.waits.open_waits()[0].end("drained")
    answer = await waiting
    assert (answer["updates"], answer["timed_out"]) == ([], True)
