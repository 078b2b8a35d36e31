"""Seeds the demo through the HTTP API, as an operator would."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from prickle.errors import HubError
from prickle.people import PeopleApi

from libs.runtime.installation import write_private

TEAM = "acme"
PROJECT = "website-v2"
PEOPLE = {"maya": "Maya Lindt", "jonas": "Jonas Ek"}
AGENTS = {
    "maya/codex": ("Codex", ["frontend", "tests"], "owner"),
    "maya/claude": ("Claude", ["review", "docs"], "owner"),
    "jonas/claude": ("Claude", ["backend", "postgres"], "team"),
}
MEMORY = ("css.framework", "We use plain CSS with custom properties; no framework (decided 2026-11-02).")
DESCRIPTION = "The second version of the public website: faster, accessible, and edited by its authors."


@dataclass(frozen=True)
class Demo:
    """How to reach the demo, and as whom."""

    url: str
    operator: str
    persons: dict[str, str]
    agents: dict[str, str]

    def wire(self) -> dict[str, Any]:
        """What the ready file holds."""
        return {"url": self.url, "operator": self.operator, "persons": self.persons, "agents": self.agents}


def seed(url: str, operator: str, kept: Path) -> Demo:
    """Make the demo's team, people, agents and project once; their tokens are kept in a private file."""
    if not kept.exists():
        write_private(kept, json.dumps(asyncio.run(_make(url, operator)), indent=2) + "\n")
    return Demo(url, operator, **json.loads(kept.read_text()))


async def _make(url: str, operator: str) -> dict[str, dict[str, str]]:
    async with PeopleApi.connect(url, operator) as api:
        await _introduce(api)
        tokens = await _issue_tokens(api)
    async with PeopleApi.connect(url, tokens["persons"]["maya"]) as maya:
        await maya.write_memory(PROJECT, *MEMORY)
    return tokens


async def _introduce(api: PeopleApi) -> None:
    await _once(api.create_team(TEAM))
    for handle, name in PEOPLE.items():
        await _once(api.create_person(handle, TEAM, name))
    for address, (name, capabilities, takes) in AGENTS.items():
        await _once(api.create_agent(address, name, capabilities=capabilities, takes_tasks_from=takes))
    await _once(api.create_project(PROJECT, "maya", "Website v2", description=DESCRIPTION))
    for address in [*PEOPLE, *AGENTS]:
        await api.add_member(PROJECT, address)


async def _once(made: Awaitable[Any]) -> None:
    """What an interrupted start made already is kept."""
    try:
        await made
    except HubError as error:
        if error.code != "conflict":
            raise


async def _issue_tokens(api: PeopleApi) -> dict[str, dict[str, str]]:
    return {
        "persons": {handle: (await api.issue_person_token(handle))["token"] for handle in PEOPLE},
        "agents": {address: (await api.issue_agent_key(address))["token"] for address in AGENTS},
    }
