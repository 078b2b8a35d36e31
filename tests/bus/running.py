"""The parcels service running, as a test needs it: alone, in replicas, with a handler that is held."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from libs.bus.connection import identity
from libs.runtime.service import RunningService
from tests.bus.parcels import HELD, Count, Held, SendParcel, service
from tests.harness import Hub, running_hub, until

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


@asynccontextmanager
async def asking(hub: Hub, callers: int = 5) -> AsyncIterator[list[Count]]:
    """Callers that ask one thing after the other; gives the answers, of which there is one for each question."""
    answers: list[Count] = []
    going_on = True

    async def ask_on(name: str) -> None:
        number = 0
        while going_on:
            answers.append(await hub.ask(SendParcel(label=f"{name}-{number}")))
            number += 1

    asked = [asyncio.create_task(ask_on(f"caller-{number}")) for number in range(callers)]
    await until(lambda: len(answers) > callers)
    try:
        yield answers
        before = len(answers)
        await until(lambda: len(answers) > before + callers)
    finally:
        going_on = False
        await asyncio.gather(*asked)


@contextmanager
def held(label: str) -> Iterator[Held]:
    """Hold the handlers of parcels with this label until the test releases them."""
    HELD[label] = Held()
    try:
        yield HELD[label]
    finally:
        HELD.pop(label).released.set()
