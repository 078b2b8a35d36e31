"""A directory with two teams."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from libs.bus.tables import BUS_TABLES
from libs.contracts.directory import CreateAgent, CreatePerson, CreateTeam
from libs.storage import Database
from services.gateway.directory.domain import DirectoryTable
from tests.gateway.directory.directory import Directory
from tests.tables import make_tables

TEAMS = {"ants": ["maya/codex", "jonas/claude"], "bees": ["rosa/bot"]}


@pytest.fixture
async def directory(tmp_path: Path) -> AsyncIterator[Directory]:
    """Maya and jonas are ants, rosa is a bee; each has an agent."""
    database = Database(f"sqlite+aiosqlite:///{tmp_path}/directory.db")
    await database.open()
    await make_tables(database, [BUS_TABLES, DirectoryTable.metadata])
    directory = Directory(database)
    for team, agent_ids in TEAMS.items():
        await directory.ask(CreateTeam(slug=team))
        for agent_id in agent_ids:
            owner = agent_id.partition("/")[0]
            await directory.ask(CreatePerson(handle=owner, team=team, display_name=owner.title()))
            await directory.ask(CreateAgent(agent_id=agent_id, display_name=agent_id))
    yield directory
    await database.close()
