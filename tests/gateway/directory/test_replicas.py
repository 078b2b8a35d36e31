"""Two gateways on one PostgreSQL directory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from libs.bus.tables import BUS_TABLES
from libs.contracts.base import Command, View
from libs.contracts.caller import OPERATOR, SYSTEM, Caller
from libs.contracts.directory import (
    CreateAgent,
    CreatePerson,
    CreateTeam,
    DescribeDevice,
    Device,
    DeviceChanged,
    ListAgents,
    ListDevices,
    ListPeople,
    RegisterDevice,
    RemoveAgent,
    RemovePerson,
    UpdateDevice,
)
from libs.contracts.errors import NotFound
from libs.storage import Database
from services.gateway.directory.domain import DirectoryTable
from tests.databases import Cluster
from tests.gateway.directory.directory import Directory, person

MAYA = person("maya")
ROUNDS = 20


@pytest.fixture
async def gateways(postgres: Cluster) -> AsyncIterator[list[Directory]]:
    """Two directories on one database, where maya is alone."""
    url = await postgres.new_database()
    databases = [Database(url, schema="directory") for _ in range(2)]
    for database in databases:
        await database.open([BUS_TABLES, DirectoryTable.metadata])
    both = [Directory(database) for database in databases]
    await both[0].ask(CreateTeam(slug="ants"))
    await both[0].ask(CreatePerson(handle="maya", team="ants", display_name="Maya"))
    yield both
    for database in databases:
        await database.close()


async def tried(directory: Directory, command: Command[View], caller: Caller = MAYA) -> View | NotFound:
    """The answer, or the refusal of an agent or person that is gone."""
    try:
        return await directory.ask(command, caller)
    except NotFound as refused:
        return refused


async def test_no_device_stays_linked_to_an_agent_that_is_removed_meanwhile(gateways: list[Directory]) -> None:
    """Agents are locked before devices: one of the two comes first, and neither waits for the other for ever."""
    first, second = gateways
    device = await first.ask(RegisterDevice(name="Laptop", projects=["garden"]), MAYA)
    for number in range(ROUNDS):
        agent_id = f"maya/agent{number}"
        await first.ask(CreateAgent(agent_id=agent_id, display_name="Agent"), MAYA)
        await asyncio.gather(
            tried(first, RegisterDevice(name="Desk", agents=[agent_id], projects=["garden"])),
            tried(second, RemoveAgent(agent_id=agent_id)),
            tried(second, UpdateDevice(device_id=device.device_id, agents=[agent_id])),
        )
        devices = (await second.ask(ListDevices(), MAYA)).devices
        assert not [one for one in devices if agent_id in one.agents]


async def test_nothing_is_made_for_a_person_who_is_removed_meanwhile(gateways: list[Directory]) -> None:
    """Whatever comes first, no agent, device or key of theirs is left."""
    first, second = gateways
    for number in range(ROUNDS):
        handle = f"person{number}"
        await first.ask(CreatePerson(handle=handle, team="ants", display_name="Person"))
        await asyncio.gather(
            tried(first, CreateAgent(agent_id=f"{handle}/agent", display_name="Agent"), OPERATOR),
            tried(second, RemovePerson(handle=handle), OPERATOR),
            tried(first, RegisterDevice(name="Desk", owner=handle), OPERATOR),
        )
    assert [one.handle for one in (await second.ask(ListPeople())).people] == ["maya"]
    assert (await second.ask(ListAgents())).agents == []
    assert (await second.ask(ListDevices())).devices == []


async def test_changes_at_once_are_announced_with_versions_of_their_own(gateways: list[Directory]) -> None:
    """R42: the highest version is the state that stands."""
    device = await gateways[0].ask(RegisterDevice(name="Laptop"), MAYA)
    changes = [UpdateDevice(device_id=device.device_id, slots=slots) for slots in range(2, 12)]
    await asyncio.gather(*(gateways[turn % 2].ask(change, MAYA) for turn, change in enumerate(changes)))
    announced = [one for gateway in gateways for one in gateway.announced if isinstance(one, DeviceChanged)]
    assert sorted(one.version for one in announced) == list(range(1, 12))
    known = (await gateways[0].ask(DescribeDevice(device_id=device.device_id), SYSTEM)).device
    newest = max(announced, key=lambda one: one.version)
    assert isinstance(known, Device)
    assert (known.version, known.slots) == (newest.version, newest.slots)
