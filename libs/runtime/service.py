"""A service as a process: its database, its bus, its health."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import ModuleType

from sqlalchemy import MetaData

from libs.bus.bus import ServiceBus
from libs.bus.execution import Clock
from libs.runtime.migrating import needed_revision
from libs.runtime.settings import Settings
from libs.storage import Database


def utc_now() -> datetime:
    """The clock of a real process."""
    return datetime.now(UTC)


@dataclass(frozen=True)
class Service:
    """What a service consists of; importing its modules registers their handlers and timers."""

    name: str
    tables: MetaData
    """What its migrations make, beside the tables of the bus."""
    modules: Sequence[ModuleType] = field(default_factory=tuple)
    revision: int | None = None
    """What its tables must have come to; None: the newest of its migrations."""

    async def start(self, settings: Settings, clock: Clock = utc_now) -> RunningService:
        """Open the database and begin to take commands; waits for SQL and for Redis; raises `CannotOpen`."""
        url = settings.database_of(self.name)
        database = Database(url, schema=self.name, pool_size=settings.database_pool)
        await database.wait()
        await database.open(needed_revision(self.name) if self.revision is None else self.revision)
        bus = ServiceBus(self.name, settings.redis_url, database, settings.policy, clock)
        await bus.start()
        return RunningService(self.name, database, bus)


@dataclass(frozen=True)
class RunningService:
    """A service that takes commands."""

    name: str
    database: Database
    bus: ServiceBus

    async def stop(self) -> None:
        """Finish what was begun and close everything."""
        await self.bus.stop()
        await self.database.close()
