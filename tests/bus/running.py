"""The parcels service running, as a test needs it: alone, in replicas, with a handler that is held."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from libs.bus.connection import identity
from libs.runtime import RunningService
from tests.bus.parcels import HELD, Held, service
from tests.harness import Hub, running_hub

WATCH_SECONDS = 0.1


@asynccontextmanager
async def running_parcels(redis_url: str, directory: Path, **settings: Any) -> AsyncIterator[Hub]:
    """A hub with the parcels service alone, whose line watches Redis as a gateway does (R43)."""
    async with running_hub(redis_url, directory, ("tests.bus.parcels",), **settings) as hub:
        watching = asyncio.create_task(_watch(hub))
        yield hub
        watching.cancel()


async def _watch(hub: Hub) -> None:
    client, known = hub.services["parcels"].bus.client, None
    while True:
        try:
            seen = await identity(client)
            if known not in (None, seen):
                await hub.follower.start_over()
            known = seen
            await hub.follower.beat()
        except OSError:
            known = None
        await asyncio.sleep(WATCH_SECONDS)


@asynccontextmanager
async def replica(hub: Hub) -> AsyncIterator[RunningService]:
    """One more instance of the service; on PostgreSQL."""
    running = await service.start(hub.settings, hub.clock)
    try:
        yield running
    finally:
        await running.stop()


@contextmanager
def held(label: str) -> Iterator[Held]:
    """Hold the handlers of parcels with this label until the test releases them."""
    HELD[label] = Held()
    try:
        yield HELD[label]
    finally:
        HELD.pop(label).released.set()
