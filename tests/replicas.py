"""Replicas of a service without their bus: what they do at once to one PostgreSQL database."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from libs.bus.execution import Executor
from libs.bus.tables import BUS_TABLES
from libs.contracts.policy import Policy
from libs.runtime.service import Service
from libs.storage import Database
from tests.databases import Cluster
from tests.harness import Clock
from tests.tables import make_tables


@asynccontextmanager
async def two_replicas(service: Service, postgres: Cluster) -> AsyncIterator[list[Executor]]:
    """Two of a service on a database and a clock of their own."""
    url, clock = await postgres.new_database(), Clock()
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(_replica(service, url, clock)) for _ in range(2)]


@asynccontextmanager
async def _replica(service: Service, url: str, clock: Clock) -> AsyncIterator[Executor]:
    database = Database(url, schema=service.name)
    await database.open()
    await make_tables(database, [BUS_TABLES, service.tables])
    yield Executor(database, Policy(), clock, lambda committed: None)
    await database.close()
