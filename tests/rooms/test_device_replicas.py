"""Two replicas of rooms that hear of devices at once."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator

import pytest

from libs.bus.execution import Executor
from libs.contracts.directory import DeviceChanged
from libs.contracts.mailbox import MailboxPage, ReadRoomsMailbox
from services.rooms.app import service
from services.rooms.handlers.devices import follow_device
from tests.databases import Cluster
from tests.replicas import two_replicas
from tests.rooms.given import addition, creation
from tests.rooms.test_replicas import hello, order

VERSIONS = 12


@pytest.fixture
async def replicas(postgres: Cluster) -> AsyncIterator[list[Executor]]:
    """Two replicas, and a project of maya and her two agents."""
    async with two_replicas(service, postgres) as both:
        agents = (addition("one", agent) for agent in ("maya/codex", "maya/claude"))
        for command in (creation("one", "maya"), *agents):
            assert not (await both[0].answer(order(command, "operator"))).problem
        yield both


def change(device_id: str, version: int) -> DeviceChanged:
    """The device runs maya/claude from its last version on, and nobody before."""
    agents = ["maya/claude"] if version == VERSIONS else []
    return DeviceChanged(device_id=device_id, owner="maya", slots=1, agents=agents, projects=["one"], version=version)


async def follow(replica: Executor, event: DeviceChanged) -> None:
    async with replica.begin() as work:
        await follow_device(event, work)


async def test_the_newest_of_many_changes_stands_whatever_their_order(replicas: list[Executor]) -> None:
    """R42: a lower version is ignored, on whichever replica it arrives."""
    devices = [f"dev_{number}" for number in range(10)]
    for device_id in devices:
        versions = random.sample(range(1, VERSIONS + 1), VERSIONS)
        news = (follow(replicas[turn % 2], change(device_id, version)) for turn, version in enumerate(versions))
        posts = (one.answer(order(hello("one", "nobody yet"), "maya/codex")) for one in replicas)
        await asyncio.gather(*news, *posts)
    assert not (await replicas[0].answer(order(hello("one"), "maya/codex"))).problem
    for device_id in devices:
        query = ReadRoomsMailbox(recipient=device_id, tool="test", after=0)
        page = MailboxPage.model_validate_json((await replicas[1].answer(order(query, "system"))).answer)
        assert [entry.body["agent_id"] for entry in page.entries] == ["maya/claude"]
