"""A hub for tests: a real Valkey, the services in this process over real databases, and a clock that tests move."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from libs.bus.asking import Asker
from libs.bus.connection import Writer, connect
from libs.bus.following import Follower
from libs.contracts.base import Command, View
from libs.contracts.caller import OPERATOR, SYSTEM, Caller
from libs.contracts.mailbox import Entry, ReadMailbox, ReadPulseMailbox, ReadRoomsMailbox, ReadTasksMailbox
from libs.contracts.types import is_agent
from libs.runtime.service import RunningService
from libs.runtime.settings import Settings
from tests.tables import prepare

Answer = TypeVar("Answer", bound=View)

SERVICES = ("rooms", "tasks", "pulse", "runs")
MAILBOXES: dict[str, type[ReadMailbox]] = {
    "rooms": ReadRoomsMailbox,
    "tasks": ReadTasksMailbox,
    "pulse": ReadPulseMailbox,
}


class Clock:
    """Time that stands still until a test moves it."""

    def __init__(self) -> None:
        self.now = datetime.now(UTC)

    def __call__(self) -> datetime:
        return self.now

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.now += timedelta(seconds=seconds)


def caller(address: str) -> Caller:
    """An agent (`owner/name`), a person (`handle`), `operator` or `system`."""
    if address in ("operator", "system"):
        return OPERATOR if address == "operator" else SYSTEM
    return Caller(kind="client" if is_agent(address) else "person", subject=address, credential_id=f"key_{address}")


@dataclass
class Hub:
    """The running services and a line to them."""

    settings: Settings
    clock: Clock
    asker: Asker
    follower: Follower
    services: dict[str, RunningService] = field(default_factory=dict)

    async def ask(
        self,
        command: Command[Answer],
        by: Caller | str = "system",
        *,
        key: str | None = None,
        argument_hash: str = "",
    ) -> Answer:
        """Send a command over the real bus and await its answer; raises its `Problem`."""
        who = caller(by) if isinstance(by, str) else by
        return await self.asker.ask(command, who, key=key, argument_hash=argument_hash)

    async def tick(self, service: str) -> None:
        """Run a service's timers now."""
        await self.services[service].bus.run_timers()

    async def entries(self, recipient: str, service: str, after: int = 0) -> list[Entry]:
        """A recipient's mailbox entries in a service."""
        page = await self.ask(MAILBOXES[service](recipient=recipient, tool="test", after=after, limit=500))
        return page.entries


@asynccontextmanager
async def running_hub(
    redis_url: str, directory: Path, services: Iterable[str] = SERVICES, *, replicas: int = 1, **settings: Any
) -> AsyncIterator[Hub]:
    """Start services in this process and stop them afterwards; the second replica of rooms is `rooms 2`."""
    chosen = Settings(redis_url=redis_url, data_dir=directory, **settings)
    clock = Clock()
    client = connect(redis_url)
    name = f"test-{id(clock)}"
    asker = Asker(f"prickle:replies:{name}", Writer(client), chosen.policy)
    follower = Follower(client, name, asker.resolve, lambda *wake: None)
    await follower.start()
    hub = Hub(chosen, clock, asker, follower)
    try:
        for service in services:
            app = importlib.import_module(service if "." in service else f"services.{service}.app")
            await prepare(app.service, chosen)
            for number in range(1, replicas + 1):
                name = app.service.name if number == 1 else f"{app.service.name} {number}"
                hub.services[name] = await app.service.start(chosen, clock)
        yield hub
    finally:
        for running in hub.services.values():
            await running.stop()
        await follower.stop()
        await client.aclose()


async def until(condition: Callable[[], Any], seconds: float = 10.0) -> Any:
    """Wait for a condition (plain or async) to hold; fails after `seconds`."""
    async with asyncio.timeout(seconds):
        while True:
            held = condition()
            held = await held if asyncio.iscoroutine(held) else held
            if held:
                return held
            await asyncio.sleep(0.02)
