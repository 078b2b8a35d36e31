"""Devices: who registers, links, sees, changes and removes them, and what the services hear of it."""

from __future__ import annotations

from typing import Any

import pytest

from libs.contracts.caller import OPERATOR, SYSTEM, Caller
from libs.contracts.directory import (
    CreateAgent,
    DescribeDevice,
    Device,
    DeviceChanged,
    FindRunners,
    ListDevices,
    RegisterDevice,
    RemoveAgent,
    RemoveDevice,
    UpdateAgent,
    UpdateDevice,
)
from libs.contracts.errors import Forbidden, InvalidInput, NotFound
from tests.gateway.directory.directory import Directory, agent, person

OTHERS = (person("jonas"), person("rosa"), agent("maya/codex"), Caller(kind="device", subject="dev_x", owner="maya"))


async def laptop(directory: Directory, **said: Any) -> Device:
    """A device of maya's, linked to her agent and a project."""
    wanted = {"name": "Laptop", "agents": ["maya/codex"], "projects": ["website-v2"], **said}
    return await directory.ask(RegisterDevice.model_validate(wanted), person("maya"))


def heard(directory: Directory) -> list[DeviceChanged]:
    return [event for event in directory.announced if isinstance(event, DeviceChanged)]


async def test_a_person_registers_a_device_and_the_services_hear_its_whole_state(directory: Directory) -> None:
    device = await laptop(directory, slots=2)
    assert (device.owner, device.name, device.slots, device.version) == ("maya", "Laptop", 2, 1)
    assert (device.agents, device.projects) == (["maya/codex"], ["website-v2"])
    shown = device.model_dump(include=set(DeviceChanged.model_fields))
    assert heard(directory) == [DeviceChanged(**shown, removed=False)]


async def test_a_device_has_one_slot_and_no_links_unless_it_is_told_otherwise(directory: Directory) -> None:
    """R12: the default number of slots."""
    device = await directory.ask(RegisterDevice(name="Laptop"), person("maya"))
    assert (device.slots, device.agents, device.projects) == (1, [], [])


async def test_the_operator_says_whose_device_it_is_and_a_person_registers_only_their_own(
    directory: Directory,
) -> None:
    device = await directory.ask(RegisterDevice(name="Build box", owner="jonas"), OPERATOR)
    assert device.owner == "jonas"
    with pytest.raises(InvalidInput) as refused:
        await directory.ask(RegisterDevice(name="Nobody's"), OPERATOR)
    assert refused.value.data.field == "owner"
    with pytest.raises(Forbidden):
        await directory.ask(RegisterDevice(name="Mine", owner="maya"), person("jonas"))
    with pytest.raises(NotFound):
        await directory.ask(RegisterDevice(name="Mine", owner="maya"), person("rosa"))
    with pytest.raises(Forbidden):
        await directory.ask(RegisterDevice(name="Mine"), agent("maya/codex"))


async def test_a_change_keeps_what_it_leaves_out_and_raises_the_version(directory: Directory) -> None:
    """R42: an event carries its thing's version."""
    device = await laptop(directory)
    changed = await directory.ask(UpdateDevice(device_id=device.device_id, slots=4), person("maya"))
    assert changed == device.model_copy(update={"slots": 4, "version": 2})
    emptied = await directory.ask(UpdateDevice(device_id=device.device_id, projects=[]), person("maya"))
    assert (emptied.projects, emptied.agents, emptied.version) == ([], ["maya/codex"], 3)
    assert [event.version for event in heard(directory)] == [1, 2, 3]


async def test_a_change_that_changes_nothing_is_not_announced(directory: Directory) -> None:
    device = await laptop(directory, projects=["a", "b"])
    same = UpdateDevice(device_id=device.device_id, name="Laptop", projects=["b", "a", "b"])
    assert await directory.ask(same, person("maya")) == device
    assert len(heard(directory)) == 1


@pytest.mark.parametrize("stranger", ["jonas/claude", "rosa/bot", "maya/unknown"])
async def test_only_agents_of_its_owner_are_linked_to_a_device(directory: Directory, stranger: str) -> None:
    """R12: not even the operator links others."""
    device = await laptop(directory)
    for caller in (person("maya"), OPERATOR):
        with pytest.raises(NotFound) as refused:
            await directory.ask(UpdateDevice(device_id=device.device_id, agents=["maya/codex", stranger]), caller)
        assert refused.value.data.field == "agents[1]"
    with pytest.raises(NotFound):
        await laptop(directory, agents=[stranger])
    assert len(heard(directory)) == 1


async def test_a_device_of_another_is_not_found_like_one_that_does_not_exist(directory: Directory) -> None:
    """No probing: teammates do not see it either."""
    device = await laptop(directory)
    for caller in OTHERS:
        said = []
        for device_id in (device.device_id, "dev_unknown"):
            for command in (UpdateDevice(device_id=device_id, slots=9), RemoveDevice(device_id=device_id)):
                with pytest.raises(NotFound) as refused:
                    await directory.ask(command, caller)
                said.append(refused.value.data)
        assert len(set(map(str, said))) == 1
        assert (await directory.ask(ListDevices(), caller)).devices == []


async def test_a_person_lists_their_own_devices_and_the_operator_all(directory: Directory) -> None:
    first, second = await laptop(directory), await laptop(directory, name="Desk")
    other = await directory.ask(RegisterDevice(name="Box", owner="rosa"), OPERATOR)
    assert (await directory.ask(ListDevices(), person("maya"))).devices == [first, second]
    assert (await directory.ask(ListDevices(), OPERATOR)).devices == [first, second, other]


async def test_a_removed_device_is_gone_for_good_and_linked_to_nothing(directory: Directory) -> None:
    device = await laptop(directory)
    await directory.ask(RemoveDevice(device_id=device.device_id), person("maya"))
    with pytest.raises(NotFound):
        await directory.ask(RemoveDevice(device_id=device.device_id), OPERATOR)
    assert (await directory.ask(ListDevices(), OPERATOR)).devices == []
    known = await directory.ask(DescribeDevice(device_id=device.device_id), SYSTEM)
    assert (known.device, known.takes_tasks_from) == (None, {})
    gone = heard(directory)[-1]
    assert (gone.removed, gone.agents, gone.projects, gone.version) == (True, [], [], 2)


async def test_a_removed_agent_is_unlinked_from_its_owners_devices(directory: Directory) -> None:
    await directory.ask(CreateAgent(agent_id="maya/claude", display_name="Claude"), person("maya"))
    both = await laptop(directory, agents=["maya/codex", "maya/claude"])
    await laptop(directory, name="Desk", agents=["maya/claude"])
    await directory.ask(RemoveAgent(agent_id="maya/codex"), person("maya"))
    changed = heard(directory)[2:]
    assert [(event.device_id, event.agents, event.version) for event in changed] == [
        (both.device_id, ["maya/claude"], 2)
    ]
    with pytest.raises(NotFound):
        await directory.ask(UpdateDevice(device_id=both.device_id, agents=["maya/codex"]), person("maya"))


async def test_a_claim_learns_the_links_and_from_whom_each_agent_takes_tasks(directory: Directory) -> None:
    """R12: what the gateway sends along."""
    await directory.ask(CreateAgent(agent_id="maya/claude", display_name="Claude"), person("maya"))
    await directory.ask(UpdateAgent(agent_id="maya/claude", takes_tasks_from="team"), person("maya"))
    device = await laptop(directory, agents=["maya/codex", "maya/claude"])
    known = await directory.ask(DescribeDevice(device_id=device.device_id), SYSTEM)
    assert known.device == device
    assert known.takes_tasks_from == {"maya/codex": "owner", "maya/claude": "team"}


async def test_what_only_the_gateway_may_ask_of_devices_is_refused_to_everybody_else(directory: Directory) -> None:
    for query in (DescribeDevice(device_id="dev_x"), FindRunners(agent_ids=["maya/codex"])):
        for caller in (OPERATOR, person("maya"), agent("maya/codex")):
            with pytest.raises(Forbidden):
                await directory.ask(query, caller)
