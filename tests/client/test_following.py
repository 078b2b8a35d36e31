"""Following what concerns an agent on a real site, over a line that breaks."""

from __future__ import annotations

import asyncio

import pytest
from prickle import Hub

from tests.client.relay import relayed
from tests.harness import until
from tests.site import Site

SERVICES = ("rooms", "tasks", "pulse")


@pytest.fixture(scope="module")
async def garden(site: Site) -> Site:
    """Maya's and jonas's agents in one project."""
    await site.introduce("garden", "maya/codex", "jonas/claude")
    return site


async def say(site: Site, body: str) -> str:
    posted = await site.call("jonas/claude", "post_message", project="garden", body=f"@maya/codex {body}")
    message_id: str = posted["message"]["id"]
    return message_id


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_no_mention_is_missed_while_the_line_is_cut(garden: Site, mode: str) -> None:
    """R22: also one that was committed while the client was away, and between two waits."""
    token = garden.tokens["maya/codex"]
    async with relayed(garden.gateway.url) as relay, Hub.connect(relay.url, token, mode=mode) as hub:
        mentions = hub.mentions(project="garden")
        sent = [await say(garden, "one"), await say(garden, "two")]
        seen = [(await anext(mentions))["id"] for _ in sent]
        waiting = asyncio.ensure_future(anext(mentions))
        await relay.cut()
        sent.append(await say(garden, "three"))
        await relay.mend()
        sent.append(await say(garden, "four"))
        seen += [(await waiting)["id"], (await anext(mentions))["id"]]
    assert seen == sent
    await acknowledge_everything(garden)


async def acknowledge_everything(site: Site) -> None:
    """Let the next wait without a cursor start after what was sent so far."""
    page = await site.call("maya/codex", "wait_for_mention", timeout_seconds=0)
    await site.call("maya/codex", "wait_for_mention", cursor=page["next_cursor"], timeout_seconds=0)


async def test_updates_come_in_order_over_several_pages(garden: Site) -> None:
    """R19, R20: a page holds 20."""
    sent = [await say(garden, f"number {number}") for number in range(25)]
    seen: list[str] = []
    async with Hub.connect(garden.gateway.url, garden.tokens["maya/codex"]) as hub:
        updates = hub.updates(project="garden", kinds=["mention"])
        while sent[-1] not in seen:
            seen.append((await anext(updates))["message"]["id"])
    assert seen[-25:] == sent


async def test_a_call_is_answered_while_a_wait_of_the_same_client_is_open(garden: Site) -> None:
    waits = garden.gateway.app.gateway.waits
    async with Hub.connect(garden.gateway.url, garden.tokens["jonas/claude"]) as hub:
        waiting = asyncio.create_task(hub.call("wait_for_mention", project="garden"))
        await until(waits.open_waits)
        context = await hub.call("get_project_context", project="garden")
        assert context["project"]["slug"] == "garden"
        waiting.cancel()
        await until(lambda: not waits.open_waits())
