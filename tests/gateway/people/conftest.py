"""A served API with two teams behind it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

import httpx
import pytest
from starlette.applications import Starlette

from libs.bus.tables import BUS_TABLES
from libs.contracts.directory import CreateAgent, CreatePerson, CreateTeam
from libs.storage import Database
from services.gateway.directory.domain import DirectoryTable
from services.gateway.people import routes
from tests.gateway.directory.directory import Directory
from tests.gateway.people.api import Api
from tests.harness import Hub
from tests.serving import serving


@pytest.fixture(scope="module")
async def api(hub: Hub, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Api]:
    """Maya (maya/codex) and jonas are ants, rosa is a bee."""
    database = Database(f"sqlite+aiosqlite:///{tmp_path_factory.mktemp('directory')}/directory.db")
    await database.open([BUS_TABLES, DirectoryTable.metadata])
    api = Api(hub, Directory(database))
    for team, handles in {"ants": ["maya", "jonas"], "bees": ["rosa"]}.items():
        await api.directory.ask(CreateTeam(slug=team))
        for handle in handles:
            await api.directory.ask(CreatePerson(handle=handle, team=team, display_name=handle.title()))
            await api.let_in(handle, "person")
    await api.directory.ask(CreateAgent(agent_id="maya/codex", display_name="Codex"))
    await api.let_in("maya/codex", "client")
    await api.let_in("operator", "operator")
    async with serving(Starlette(routes=routes(api.session))) as api.url:
        yield api
    await database.close()


@pytest.fixture
async def calling(api: Api) -> AsyncIterator[Callable[[str], httpx.AsyncClient]]:
    """A client of the API for whoever is named."""
    clients: list[httpx.AsyncClient] = []

    def client(subject: str) -> httpx.AsyncClient:
        clients.append(api.of(subject))
        return clients[-1]

    yield client
    for opened in clients:
        await opened.aclose()
