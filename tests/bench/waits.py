"""Calls that wait, as agents keep them open."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from itertools import cycle, islice

from tests.bench.hub import Agent, Hub
from tests.bench.load import Connection, tool_call
from tests.bench.processes import settle

WAITS_PER_AGENT = 8
"""As many as one credential may hold open (R24)."""
LONGEST_SECONDS = 50
BEGUN_AT_ONCE = 200


def waiting_agents(waits: int) -> int:
    """How many agents it takes to hold so many waits."""
    return -(-waits // WAITS_PER_AGENT)


def wait_request(agent: Agent, seconds: int = LONGEST_SECONDS) -> bytes:
    """A call that waits for a mention of the agent."""
    return tool_call("wait_for_mention", {"timeout_seconds": seconds}, agent.token)


@asynccontextmanager
async def idle_waits(hub: Hub, count: int) -> AsyncIterator[None]:
    """Keep so many waits of the agents outside the project open, each on a connection of its own."""
    requests = list(islice(cycle(map(wait_request, hub.others)), count))
    connections: list[Connection] = []
    waiting: list[asyncio.Task[None]] = []
    try:
        for start in range(0, count, BEGUN_AT_ONCE):
            begun = await _begin(hub, requests[start : start + BEGUN_AT_ONCE])
            connections += begun
            waiting += [asyncio.create_task(_wait_on(*pair)) for pair in zip(begun, requests[start:], strict=False)]
        await settle(hub.pids.values())
        yield
        _raise_failures(waiting)
    finally:
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        for connection in connections:
            connection.close()


async def _begin(hub: Hub, requests: Sequence[bytes]) -> list[Connection]:
    """Begin some waits and see one more answered, which came after them: agents do not all come at once."""
    connections = await asyncio.gather(*(Connection.open(hub.url) for _ in requests))
    await asyncio.gather(*map(Connection.begin, connections, requests))
    last = await Connection.open(hub.url)
    await last.call(wait_request(hub.others[0], seconds=0))
    last.close()
    return connections


async def _wait_on(connection: Connection, request: bytes) -> None:
    """Wait to the end, and again and again, as agents do."""
    await connection.answer()
    while True:
        await connection.call(request)


def _raise_failures(waiting: Iterable[asyncio.Task[None]]) -> None:
    """A wait that broke would have made the figures better than they are."""
    for task in waiting:
        if task.done():
            task.result()
