"""Calls that wait, as agents keep them open."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from itertools import cycle, islice

from tests.bench.hub import Hub
from tests.bench.load import Connection, tool_call
from tests.bench.processes import settle

WAITS_PER_AGENT = 8
"""As many as one credential may hold open (R24)."""
LONGEST_SECONDS = 50
CONNECTED_AT_ONCE = 200


def waiting_agents(waits: int) -> int:
    """How many agents it takes to hold so many waits."""
    return -(-waits // WAITS_PER_AGENT)


@asynccontextmanager
async def idle_waits(hub: Hub, count: int) -> AsyncIterator[None]:
    """Keep so many waits of the agents outside the project open, each on a connection of its own."""
    requests = [tool_call("wait_for_mention", {"timeout_seconds": LONGEST_SECONDS}, a.token) for a in hub.others]
    chosen = list(islice(cycle(requests), count))
    connections = await _connect(hub.url, count)
    waiting = [asyncio.create_task(_wait_on(*pair)) for pair in zip(connections, chosen, strict=True)]
    await settle(hub.pids.values())
    try:
        yield
        _raise_failures(waiting)
    finally:
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        for connection in connections:
            connection.close()


async def _connect(url: str, count: int) -> list[Connection]:
    connections: list[Connection] = []
    while (missing := count - len(connections)) > 0:
        opening = (Connection.open(url) for _ in range(min(missing, CONNECTED_AT_ONCE)))
        connections += await asyncio.gather(*opening)
    return connections


async def _wait_on(connection: Connection, request: bytes) -> None:
    """Wait again and again, as agents do."""
    while True:
        await connection.call(request)


def _raise_failures(waiting: Iterable[asyncio.Task[None]]) -> None:
    """A wait that broke would have made the figures better than they are."""
    for task in waiting:
        if task.done():
            task.result()
