"""The hub under test: an installation as `prickle up` runs it, with as many agents as a measurement needs.

On PostgreSQL, which keeps what it committed (fsync is on), rooms and tasks may have several replicas.

No limit is lifted: a measurement has enough agents to keep within what one credential may do.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from prickle.people import PeopleApi

from libs.runtime.installation import Installation
from libs.runtime.settings import load_settings
from libs.runtime.valkey import free_port
from tests.databases import LASTING, started_cluster
from tests.fleet import Replica

OWNER = "bench"
PROJECT = "bench"
AT_ONCE = 16
REPLICATED = ("rooms", "tasks")
READY_SECONDS = 60.0
POLL_SECONDS = 0.1
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
def running_hub(members: int, others: int = 0, devices: int = 0, *, replicas: int = 0) -> Iterator[Hub]:
    """A hub in a temporary directory with so many agents and devices.

    On SQLite; with `replicas` on a PostgreSQL of its own, with so many of rooms and of tasks.
    """
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="prickle-bench-")))
        url = stack.enter_context(_database()) if replicas else ""
        settings = load_settings(data_dir=directory, database_url=url, port=free_port(), log_level="warning")
        installation = Installation(settings)
        stack.callback(installation.stop)
        installation.start()
        for number in range(1, replicas):
            stack.enter_context(_replicas(installation, directory / f"replicas-{number}"))
        agents, machines = asyncio.run(_introduce(installation, members, others, devices))
        pids = {child.service: child.process.pid for child in installation.children if child.process}
        yield Hub(installation.url, pids, agents[:members], agents[members:], machines)


@contextmanager
def _database() -> Iterator[str]:
    """A database of a PostgreSQL server of its own."""
    with contextmanager(started_cluster)(LASTING) as cluster:
        yield asyncio.run(cluster.new_database())


@contextmanager
def _replicas(installation: Installation, logs: Path) -> Iterator[None]:
    """One more process of each service that has replicas."""
    logs.mkdir()
    assert installation.valkey is not None
    settings = {
        "PRICKLE_REDIS_URL": installation.valkey.url,
        "PRICKLE_DATABASE_URL": installation.settings.database_url,
        "PRICKLE_LOG_LEVEL": "warning",
    }
    replicas = [Replica(service, logs / f"{service}.log", settings) for service in REPLICATED]
    try:
        for replica in replicas:
            replica.spawn()
        deadline = time.monotonic() + READY_SECONDS
        while not all(replica.ready() for replica in replicas):
            assert time.monotonic() < deadline, "a replica does not start"
            time.sleep(POLL_SECONDS)
        yield
    finally:
        for replica in replicas:
            replica.stop()


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
