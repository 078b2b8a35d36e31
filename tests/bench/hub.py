"""The hub under test: an installation as `prickle up` runs it, with as many agents as a measurement needs.

No limit is lifted: a measurement has enough agents to keep within what one credential may do.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from prickle.people import PeopleApi

from libs.runtime.installation import Installation
from libs.runtime.settings import load_settings
from libs.runtime.valkey import free_port

OWNER = "bench"
PROJECT = "bench"
AT_ONCE = 16
SLOTS = 64
"""As many as a device can have."""


@dataclass(frozen=True)
class Agent:
    """Who calls."""

    address: str
    token: str


@dataclass(frozen=True)
class Hub:
    """A hub that takes calls."""

    url: str
    pids: dict[str, int]
    """The process of each service."""
    members: list[Agent]
    """The agents of the project."""
    others: list[Agent]
    """Agents that are in no project."""
    devices: list[Agent]
    """Devices that run the members in the project, by their ids."""


@contextmanager
def running_hub(members: int, others: int = 0, devices: int = 0) -> Iterator[Hub]:
    """A hub in a temporary directory with so many agents and devices."""
    with tempfile.TemporaryDirectory(prefix="prickle-bench-") as directory:
        settings = load_settings(data_dir=Path(directory), port=free_port(), log_level="warning")
        installation = Installation(settings)
        try:
            installation.start()
            agents, machines = asyncio.run(_introduce(installation, members, others, devices))
            pids = {child.service: child.process.pid for child in installation.children if child.process}
            yield Hub(installation.url, pids, agents[:members], agents[members:], machines)
        finally:
            installation.stop()


async def _introduce(
    installation: Installation, members: int, others: int, devices: int
) -> tuple[list[Agent], list[Agent]]:
    operator = installation.operator_token_file().read_text().strip()
    async with PeopleApi.connect(installation.url, operator) as api:
        await api.create_team(OWNER)
        await api.create_person(OWNER, OWNER, "Bench")
        await api.create_project(PROJECT, OWNER, "Bench")
        turn = asyncio.Semaphore(AT_ONCE)
        agents = await asyncio.gather(*(_agent(api, number, turn) for number in range(members + others)))
        for agent in agents[:members]:
            await api.add_member(PROJECT, agent.address)
        addresses = [agent.address for agent in agents[:members]]
        return agents, [await _device(api, number, addresses) for number in range(devices)]


async def _agent(api: PeopleApi, number: int, turn: asyncio.Semaphore) -> Agent:
    address = f"{OWNER}/agent-{number}"
    async with turn:
        await api.create_agent(address, f"Agent {number}")
        return Agent(address, (await api.issue_agent_key(address))["token"])


async def _device(api: PeopleApi, number: int, agents: list[str]) -> Agent:
    links = {"agents": agents, "projects": [PROJECT]}
    made = await api.register_device(f"Device {number}", owner=OWNER, slots=SLOTS, **links)
    return Agent(made["device_id"], (await api.issue_device_key(made["device_id"]))["token"])
