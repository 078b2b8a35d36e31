"""(h) How soon one agent is answered while the others keep 50 waits open on a database pool of 5."""

from __future__ import annotations

import time

import uvloop

from tests.bench.hub import PROJECT, Hub, running_hub
from tests.bench.load import Connection, Timings, tool_call
from tests.bench.report import Figure
from tests.bench.waits import idle_waits, waiting_agents

WAITS, CALLS, WARM_UP = 50, 200, 20
TARGET_MS = 200.0


def measure() -> list[Figure]:
    """The figure of a hub of its own, on PostgreSQL with the pool that is the default."""
    with running_hub(members=1, others=waiting_agents(WAITS), replicas=1) as hub:
        timings = uvloop.run(_answered(hub))
    slowest = timings.milliseconds[-1]
    name = f"(h) get_project_context with {WAITS} waits open, PostgreSQL and pools of 5"
    figure = f"{timings.latency}, slowest {slowest:.1f} ms"
    return [Figure(name, figure, f"< {TARGET_MS:.0f} ms", slowest < TARGET_MS)]


async def _answered(hub: Hub) -> Timings:
    async with idle_waits(hub, WAITS):
        connection, taken, started = await Connection.open(hub.url), [], time.perf_counter()
        asked = tool_call("get_project_context", {"project": PROJECT}, hub.members[0].token)
        for _ in range(WARM_UP + CALLS):
            sent = time.perf_counter()
            await connection.call(asked)
            taken.append(1000 * (time.perf_counter() - sent))
        connection.close()
    return Timings(sorted(taken[WARM_UP:]), time.perf_counter() - started)
