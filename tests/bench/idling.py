"""(c) What an idle wait costs the gateway in memory."""

from __future__ import annotations

import uvloop

from tests.bench.hub import Hub, running_hub
from tests.bench.load import Connection
from tests.bench.processes import memory
from tests.bench.report import Figure
from tests.bench.waits import idle_waits, wait_request, waiting_agents

WAITS = 5000
TARGET_KB = 40.0


def measure() -> list[Figure]:
    """The figure of a hub of its own."""
    with running_hub(members=0, others=waiting_agents(WAITS)) as hub:
        kilobytes = uvloop.run(_per_wait(hub)) / 1024
    name = f"(c) memory of the gateway per idle wait, {WAITS:,} open"
    return [Figure(name, f"{kilobytes:.1f} KB", f"≤ {TARGET_KB:.0f} KB", kilobytes <= TARGET_KB)]


async def _per_wait(hub: Hub) -> float:
    await _get_known(hub)
    before = memory(hub.pids["gateway"])
    async with idle_waits(hub, WAITS):
        return (memory(hub.pids["gateway"]) - before) / WAITS


async def _get_known(hub: Hub) -> None:
    """One call of each agent: what a gateway keeps of agents is no part of a wait."""
    connection = await Connection.open(hub.url)
    for agent in hub.others:
        await connection.call(wait_request(agent, seconds=0))
    connection.close()
