"""Services as processes of their own, as a cluster runs them: several of each over one Redis and one database."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from libs.runtime.child import Child
from libs.runtime.health import trouble
from libs.runtime.migrating import migrated
from libs.runtime.serving import SERVICES
from libs.runtime.settings import Settings, load_settings
from libs.runtime.valkey import free_port
from tests.harness import until

READY_SECONDS = 60.0
STOP_SECONDS = 30.0


class Replica(Child):
    """One process of a service, which keeps its ports when it is started again."""

    def __init__(self, service: str, log: Path, settings: Mapping[str, str]) -> None:
        port, self._health_port = free_port(), str(free_port())
        self.url = f"http://127.0.0.1:{port}"
        ports = {"PRICKLE_PORT": str(port), "PRICKLE_HEALTH_PORT": self._health_port}
        command = [sys.executable, "-P", "-m", "libs.runtime", service]
        super().__init__(service, command, log, environment={**os.environ, **settings, **ports})

    @property
    def pid(self) -> int:
        """The id of the process that runs, or ran last."""
        assert self.process is not None
        return self.process.pid

    def ready(self) -> bool:
        return trouble(self._health_port) is None

    def errors(self) -> list[str]:
        """The errors that it has logged."""
        lines = self.log.read_text().splitlines()
        return [line for line in lines if json.loads(line)["level"] in ("error", "critical")]

    async def become_ready(self) -> None:
        """Return once it takes calls or commands."""
        await until(self._ready_or_dead, seconds=READY_SECONDS)
        assert self.ending is None, self.log.read_text()

    async def _ready_or_dead(self) -> bool:
        return self.ending is not None or await asyncio.to_thread(self.ready)

    async def restart(self) -> None:
        """Stop it as a cluster does, with SIGTERM, and start it again."""
        self.ask_to_stop()
        await until(lambda: self.ending, seconds=STOP_SECONDS)
        self.spawn()
        await self.become_ready()


def migrate(services: Sequence[str], settings: Settings) -> None:
    """Make the tables that services need, as `prickle migrate` does before they start."""
    assert list(migrated(services, settings))


@dataclass(frozen=True)
class Fleet:
    """The replicas of all services, and the operator's token."""

    replicas: list[Replica]
    operator: str

    def of(self, service: str) -> list[Replica]:
        """The replicas of one service."""
        return [replica for replica in self.replicas if replica.name == service]


@asynccontextmanager
async def running_fleet(directory: Path, redis_url: str, database_url: str, each: int = 2) -> AsyncIterator[Fleet]:
    """So many replicas of every service on PostgreSQL, started all at once."""
    await asyncio.to_thread(migrate, SERVICES, load_settings(database_url=database_url, data_dir=directory))
    token, file = f"prk_operator_{secrets.token_urlsafe(32)}", directory / "operator.token"
    file.write_text(token)
    settings = {
        "PRICKLE_REDIS_URL": redis_url,
        "PRICKLE_DATABASE_URL": database_url,
        "PRICKLE_OPERATOR_TOKEN_FILE": str(file),
    }
    names = [(service, number) for service in SERVICES for number in range(each)]
    replicas = [Replica(service, directory / f"{service}-{number}.log", settings) for service, number in names]
    try:
        for replica in replicas:
            replica.spawn()
        await asyncio.gather(*(replica.become_ready() for replica in replicas))
        yield Fleet(replicas, token)
    finally:
        for replica in replicas:
            replica.kill()
