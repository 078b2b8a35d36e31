"""Two gateways on one PostgreSQL directory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from libs.bus.tables import BUS_TABLES
from libs.contracts.base import Command, View
from libs.contracts.caller import OPERATOR, SYSTEM
from libs.contracts.directory import (
    CreateAgent,
    CreatePerson,
    CreateTeam,
    DescribeDevice,
    Device,
    DeviceChanged,
    ListDevices,
    PersonRemoved,
    RegisterDevice,
    RemoveAgent,
    RemovePerson,
    UpdateDevice,
)
from libs.contracts.errors import NotFound
from libs.storage import Database
from services.gateway.directory.domain import DirectoryTable
from services.gateway.directory.handlers.agents import create_agent
from services.gateway.directory.handlers.people import remove_person
from tests.databases import Cluster
from tests.gateway.directory.directory import Directory, person
from tests.harness import until
from tests.tables import make_tables

MAYA = person("maya")
ROUNDS = 20


@pytest.fixture
async def gateways(postgres: Cluster) -> AsyncIterator[list[Directory]]:
    """Two directories on one database, where maya is alone."""
    url = await postgres.new_database()
    databases = [Database(url, schema="directory") for _ in range(2)]
    for database in databases:
        await database.open()
        await make_tables(database, [BUS_TABLES, DirectoryTable.metadata])
    both = [Directory(database) for database in databases]
    await both[0].ask(CreateTeam(slug="ants"))
    await both[0].ask(CreatePerson(handle="maya", team="ants", display_name="Maya"))
    yield both
    for database in databases:
        await database.close()


async def tried(directory: Directory, command: Command[View]) -> View | NotFound:
    """The answer, or the refusal of an agent or person that is gone."""
    try:
        return await directory.ask(command, MAYA)
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


@pytest.mark.parametrize(
    "command",
    [CreateAgent(agent_id="maya/agent", display_name="Agent"), RegisterDevice(name="Desk", owner="maya")],
    ids=["agent", "device"],
)
async def test_nothing_is_made_for_a_person_who_is_being_removed(
    gateways: list[Directory], command: Command[View]
) -> None:
    """Whoever makes something for a person waits for their removal, and finds them gone."""
    first, second = gateways
    async with first.begin() as work:
        await remove_person(RemovePerson(handle="maya"), OPERATOR, work)
        made = asyncio.create_task(tried(second, command))
        await until(first.one_waits_for_a_lock)
    assert isinstance(await made, NotFound)


async def test_what_was_made_for_a_person_first_goes_with_them(gateways: list[Directory]) -> None:
    first, second = gateways
    async with first.begin() as work:
        await create_agent(CreateAgent(agent_id="maya/agent", display_name="Agent"), MAYA, work)
        removal = asyncio.create_task(second.ask(RemovePerson(handle="maya"), OPERATOR))
        await until(second.one_waits_for_a_lock)
    await removal
    assert second.announced == [PersonRemoved(handle="maya", agents=["maya/agent"])]


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
