"""(a) How long it takes from `post_message` sent to `wait_for_mention` answered, while others wait too."""

from __future__ import annotations

import asyncio
import time

import orjson
import uvloop

from tests.bench.hub import PROJECT, Agent, Hub, running_hub
from tests.bench.load import Connection, Timings, tool_call
from tests.bench.report import Figure
from tests.bench.waits import idle_waits, wait_request, waiting_agents

IDLE_WAITS = (1, 1000)
SAMPLES = 300
WARM_UP = 30
ASLEEP_SECONDS = 0.02
"""After it has begun to answer, a wait reads its mailbox and then sleeps."""
TARGET_MS = 10.0


def measure() -> list[Figure]:
    """The figures of a hub of its own."""
    with running_hub(members=2, others=waiting_agents(max(IDLE_WAITS))) as hub:
        return [figure for waits in IDLE_WAITS for figure in uvloop.run(_with_idle(hub, waits))]


async def _with_idle(hub: Hub, waits: int) -> list[Figure]:
    async with idle_waits(hub, waits):
        timings = await woken(hub)
    name = f"(a) post_message sent to wait_for_mention answered, {waits:,} idle waits open"
    if waits < max(IDLE_WAITS):
        return [Figure(name, timings.latency)]
    return [Figure(name, timings.latency, f"p50 ≤ {TARGET_MS:.0f} ms", timings.percentile(50) <= TARGET_MS)]


async def woken(hub: Hub) -> Timings:
    """How long it takes to wake the second member, who has no mentions to catch up with, by posts of the first."""
    poster, waiter = hub.members[:2]
    posting, waiting = await Connection.open(hub.url), await Connection.open(hub.url)
    post = tool_call("post_message", {"project": PROJECT, "body": f"@{waiter.address} hello"}, poster.token)
    taken, cursor, started = [], await _cursor(waiting, waiter), time.perf_counter()
    for _ in range(WARM_UP + SAMPLES):
        await waiting.begin(_wait(waiter, cursor))
        await asyncio.sleep(ASLEEP_SECONDS)
        sent = time.perf_counter()
        _, answer = await asyncio.gather(posting.call(post), answered(waiting))
        taken.append(1000 * (answer[0] - sent))
        cursor = next_cursor(answer[1])
    return Timings(sorted(taken[WARM_UP:]), time.perf_counter() - started)


def _wait(waiter: Agent, cursor: str) -> bytes:
    return tool_call("wait_for_mention", {"cursor": cursor, "timeout_seconds": 10}, waiter.token)


async def answered(waiting: Connection) -> tuple[float, bytes]:
    """When a wait was answered, and with what."""
    body = await waiting.answer()
    return time.perf_counter(), body


async def _cursor(waiting: Connection, waiter: Agent) -> str:
    """The cursor after everything that the waiter was told so far."""
    return next_cursor(await waiting.call(wait_request(waiter, seconds=0)))


def next_cursor(stream: bytes) -> str:
    """The cursor in the answer of a wait."""
    response = orjson.loads(stream.rpartition(b"data: ")[2])
    cursor: str = response["result"]["structuredContent"]["next_cursor"]
    return cursor
