"""Pulse with and without a second replica."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from libs.runtime.valkey import EmbeddedValkey
from services.pulse.app import service
from tests.databases import BACKENDS, Cluster
from tests.harness import Hub, running_hub
from tests.pulse.team import Team

REDIS_NUMBER = 14


@pytest.fixture
def team(hub: Hub) -> Team:
    """The agents of one team, and their board."""
    return Team(hub)


@pytest.fixture(scope="module", params=BACKENDS)
async def replicas(
    request: pytest.FixtureRequest, valkey: EmbeddedValkey, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Hub]:
    """Pulse alone on SQLite, and two replicas of it on PostgreSQL."""
    redis_url, directory = f"redis://127.0.0.1:{valkey.port}/{REDIS_NUMBER}", Path(tmp_path_factory.mktemp("hub"))
    if request.param == "sqlite":
        async with running_hub(redis_url, directory, ("pulse",)) as hub:
            yield hub
        return
    cluster: Cluster = request.getfixturevalue("postgres")
    url = await cluster.new_database()
    async with running_hub(redis_url, directory, ("pulse",), database_url=url) as hub:
        hub.services["second"] = await service.start(hub.settings, hub.clock)
        yield hub
