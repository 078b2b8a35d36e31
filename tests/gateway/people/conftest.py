"""A site with two teams and its two gateways' HTTP API."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

import httpx
import pytest

from libs.contracts.caller import OPERATOR
from libs.contracts.directory import CreateAgent, CreatePerson, CreateTeam
from libs.contracts.rooms import AddMember, CreateProject
from tests.site import Site

TEAMS = {"ants": ["maya", "jonas"], "bees": ["rosa"]}


@pytest.fixture(scope="module")
async def town(site: Site) -> Site:
    """Maya (maya/codex) and jonas are ants, rosa is a bee; everybody has a token."""
    ask = site.gateway.app.gateway.ask
    for team, handles in TEAMS.items():
        await ask(CreateTeam(slug=team), OPERATOR)
        for handle in handles:
            await ask(CreatePerson(handle=handle, team=team, display_name=handle.title()), OPERATOR)
            site.tokens[handle] = await site.issue(handle, "person")
    await ask(CreateAgent(agent_id="maya/codex", display_name="Codex"), OPERATOR)
    site.tokens["maya/codex"] = await site.issue("maya/codex", "client")
    site.tokens["operator"] = await site.issue("operator", "operator")
    return site


@pytest.fixture(scope="module")
async def garden(town: Site) -> Site:
    """The town with a project that maya/codex, who takes tasks from its owner only, and jonas/claude share."""
    ask = town.gateway.app.gateway.ask
    await ask(CreateAgent(agent_id="jonas/claude", display_name="Claude", takes_tasks_from="team"), OPERATOR)
    town.tokens["jonas/claude"] = await town.issue("jonas/claude", "client")
    maya = {"owner": "maya", "owner_display_name": "Maya", "team": "ants"}
    await ask(CreateProject(slug="garden", name="Garden", **maya), OPERATOR)
    for address in ("maya/codex", "jonas", "jonas/claude"):
        await ask(AddMember(project="garden", address=address, display_name=address, team="ants"), OPERATOR)
    return town


@pytest.fixture
async def calling(town: Site) -> AsyncIterator[Callable[..., httpx.AsyncClient]]:
    """A client of the API for whoever is named, at one of the gateways."""
    clients: list[httpx.AsyncClient] = []

    def client(subject: str, gateway: int = 0) -> httpx.AsyncClient:
        url = town.gateways[gateway].url.removesuffix("/mcp") + "/api/v1"
        token = town.tokens.get(subject, subject)
        clients.append(httpx.AsyncClient(base_url=url, headers={"authorization": f"Bearer {token}"}))
        return clients[-1]

    yield client
    for opened in clients:
        await opened.aclose()
