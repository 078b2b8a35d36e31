"""(f) How long it takes from a lease's `release` sent to the open wait of the head of its queue answered (R35)."""

from __future__ import annotations

import asyncio
import time

import uvloop

from tests.bench.hub import Agent, running_hub
from tests.bench.load import Connection, Timings, tool_call
from tests.bench.report import Figure
from tests.bench.waking import ASLEEP_SECONDS, answered, next_cursor

SAMPLES, WARM_UP = 100, 10
TARGET_MS = 20.0
FILE = {"repository_id": "a" * 64, "path": "src/images.py"}


def measure() -> list[Figure]:
    """The figure of a hub of its own."""
    with running_hub(members=2) as hub:
        timings = uvloop.run(_passed_on(hub.url, *hub.members))
    p50 = timings.percentile(50)
    name = "(f) release sent to the next agent's wait_for_updates answered with lease_granted"
    return [Figure(name, timings.latency, f"p50 < {TARGET_MS:.0f} ms", p50 < TARGET_MS)]


async def _passed_on(url: str, holder: Agent, waiter: Agent) -> Timings:
    calling, waiting = await Connection.open(url), await Connection.open(url)
    taken, started = [], time.perf_counter()
    cursor = next_cursor(await waiting.call(_wait(waiter)))
    for _ in range(WARM_UP + SAMPLES):
        for agent in (holder, waiter):
            await calling.call(_board("claim", agent))
        await waiting.begin(_wait(waiter, cursor=cursor, timeout_seconds=10))
        await asyncio.sleep(ASLEEP_SECONDS)
        sent = time.perf_counter()
        _, (at, answer) = await asyncio.gather(calling.call(_board("release", holder)), answered(waiting))
        taken.append(1000 * (at - sent))
        cursor = next_cursor(answer)
        await calling.call(_board("release", waiter))
    return Timings(sorted(taken[WARM_UP:]), time.perf_counter() - started)


def _board(action: str, agent: Agent) -> bytes:
    return tool_call("memory_agents", {"action": action, **FILE}, agent.token)


def _wait(agent: Agent, **passed: object) -> bytes:
    arguments = {"kinds": ["lease_granted"], "timeout_seconds": 0, **passed}
    return tool_call("wait_for_updates", arguments, agent.token)
