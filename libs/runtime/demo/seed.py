"""Seeds the demo through the HTTP API, as an operator would."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from prickle.errors import HubError
from prickle.people import PeopleApi

from libs.runtime.installation import write_private

TEAM = "acme"
PROJECT = "website-v2"
PEOPLE = {"maya": "Maya Lindt", "jonas": "Jonas Ek"}
AGENTS = {
    "maya/codex": ("Codex", ["frontend", "tests"]),
    "maya/claude": ("Claude", ["review", "docs"]),
    "jonas/claude": ("Claude", ["backend", "postgres"]),
}
DEVICE = "maya-laptop"
MEMORY = ("css.framework", "We use plain CSS with custom properties; no framework (decided 2026-11-02).")
DESCRIPTION = "The second version of the public website: faster, accessible, and edited by its authors."


@dataclass(frozen=True)
class Demo:
    """How to reach the demo, and as whom."""

    url: str
    operator: str
    persons: dict[str, str] = field(default_factory=dict)
    """Tokens by handle."""
    agents: dict[str, str] = field(default_factory=dict)
    """Client keys by address."""
    devices: dict[str, str] = field(default_factory=dict)
    """Device keys by the device's name."""
    tasks_keys: dict[str, str] = field(default_factory=dict)
    """Narrow keys by the device's name."""

    def wire(self) -> dict[str, Any]:
        """What the ready file holds."""
        return asdict(self)


def seed(url: str, operator: str, kept: Path) -> Demo:
    """Make the demo's team, people, agents, project and device once; their tokens are kept in a private file."""
    if not kept.exists():
        write_private(kept, json.dumps(asyncio.run(_make(url, operator)), indent=2) + "\n")
    return Demo(url, operator, **json.loads(kept.read_text()))


async def _make(url: str, operator: str) -> dict[str, dict[str, str]]:
    async with PeopleApi.connect(url, operator) as api:
        await _introduce(api)
        tokens = await _issue_tokens(api)
    async with PeopleApi.connect(url, tokens["persons"]["maya"]) as maya:
        await maya.write_memory(PROJECT, *MEMORY)
        return tokens | await _device_tokens(maya)


async def _introduce(api: PeopleApi) -> None:
    await _once(api.create_team(TEAM))
    for handle, name in PEOPLE.items():
        await _once(api.create_person(handle, TEAM, name))
    for address, (name, capabilities) in AGENTS.items():
        await _once(api.create_agent(address, name, capabilities=capabilities, takes_tasks_from="team"))
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


async def _device_tokens(maya: PeopleApi) -> dict[str, dict[str, str]]:
    """The keys of maya's device, which runs her agents in the project; one that is there already is taken."""
    known = [device for device in await maya.list_devices() if device["name"] == DEVICE]
    hers = [address for address in AGENTS if address.startswith("maya/")]
    device = known[0] if known else await maya.register_device(DEVICE, agents=hers, projects=[PROJECT])
    keys = {kind: await maya.issue_device_key(device["device_id"], kind=kind) for kind in ("device", "tasks")}
    return {"devices": {DEVICE: keys["device"]["token"]}, "tasks_keys": {DEVICE: keys["tasks"]["token"]}}
