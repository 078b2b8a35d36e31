"""Fixtures that all tests share: one Valkey per session, one hub per test module."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import structlog

from libs.runtime.valkey import EmbeddedValkey, free_port
from tests.databases import database_url, postgres
from tests.harness import SERVICES, Hub, running_hub
from tests.site import Site, running_site

__all__ = ["database_url", "postgres"]

structlog.configure(processors=[structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)])


@pytest.fixture(scope="session")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedValkey]:
    """A real Valkey server on a free port."""
    server = EmbeddedValkey(tmp_path_factory.mktemp("valkey"), free_port())
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
async def hub(
    request: pytest.FixtureRequest, valkey: EmbeddedValkey, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Hub]:
    """The services that a module names in `SERVICES` (all by default), on a database number of their own.

    A module's `SETTINGS` replace the defaults; its `REPLICAS` are so many of each service, on PostgreSQL.
    """
    services = getattr(request.module, "SERVICES", SERVICES)
    directory: Path = tmp_path_factory.mktemp("hub")
    number = request.session.config.stash.setdefault(_USED, 0)
    request.session.config.stash[_USED] = number + 1
    settings = dict(getattr(request.module, "SETTINGS", {}))
    if replicas := getattr(request.module, "REPLICAS", None):
        settings |= {"replicas": replicas, "database_url": await request.getfixturevalue("postgres").new_database()}
    async with running_hub(f"redis://127.0.0.1:{valkey.port}/{number}", directory, services, **settings) as running:
        yield running


_USED = pytest.StashKey[int]()


@pytest.fixture(scope="module")
async def site(request: pytest.FixtureRequest, hub: Hub) -> AsyncIterator[Site]:
    """A hub with as many gateways as the module's `GATEWAYS` says (one by default)."""
    async with running_site(hub, getattr(request.module, "GATEWAYS", 1)) as running:
        yield running
