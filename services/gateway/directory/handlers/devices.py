"""Devices, by their owners and the operator; whoever keeps their links hears of every change (R19)."""

from __future__ import annotations

from datetime import timedelta
from typing import cast

from libs.bus import Work, handles
from libs.contracts import directory as asks
from libs.contracts.caller import Caller
from libs.contracts.types import TakesTasksFrom
from services.gateway.directory.domain import (
    Device,
    check_gateway,
    check_governs,
    check_linked_agents,
    owner_of_new_device,
)
from services.gateway.directory.store import agents, devices, keys, people
from services.gateway.directory.store.things import add


@handles(asks.RegisterDevice)
async def register_device(command: asks.RegisterDevice, caller: Caller, work: Work) -> asks.Device:
    """Register a device of a person, linked to agents of theirs."""
    owner = await people.lock_person(work, owner_of_new_device(command, caller), caller)
    check_governs(caller, owner.handle)
    check_linked_agents(command.agents, owner.handle, await _live(work, command.agents))
    device = Device.register(command, owner.handle, work.now)
    await add(work, device, "Register the device again.")
    work.announce(device.changed())
    return device.view()


@handles(asks.UpdateDevice)
async def update_device(command: asks.UpdateDevice, caller: Caller, work: Work) -> asks.Device:
    """Change a device; what changes nothing is not announced."""
    live = await _live(work, command.agents or [])
    device = await devices.lock_device(work, command.device_id, caller)
    check_linked_agents(command.agents or [], device.owner, live)
    if device.change(command):
        work.announce(device.changed())
    return device.view()


async def _live(work: Work, agent_ids: list[str]) -> set[str]:
    return {agent.agent_id for agent in await agents.lock_live(work, agent_ids)}


@handles(asks.RemoveDevice)
async def remove_device(command: asks.RemoveDevice, caller: Caller, work: Work) -> asks.Device:
    """Remove a device for good, and end its keys."""
    device = await devices.lock_device(work, command.device_id, caller)
    device.remove(work.now)
    await keys.revoke_keys(work, device.device_id)
    work.announce(device.changed())
    return device.view()


@handles(asks.ListDevices)
async def list_devices(query: asks.ListDevices, caller: Caller, work: Work) -> asks.Devices:
    """The devices of the calling person; all of them for the operator."""
    return asks.Devices(devices=[device.view() for device in await devices.devices(work, caller)])


@handles(asks.DescribeDevice)
async def describe_device(query: asks.DescribeDevice, caller: Caller, work: Work) -> asks.KnownDevice:
    """A device and from whom its agents take tasks, for a claim (R12)."""
    check_gateway(caller)
    device = await devices.known_device(work, query.device_id)
    if device is None:
        return asks.KnownDevice(device=None, takes_tasks_from={})
    linked = await agents.agents(work, caller, device.agents)
    takes = {agent.agent_id: cast(TakesTasksFrom, agent.takes_tasks_from) for agent, _ in linked}
    return asks.KnownDevice(device=device.view(), takes_tasks_from=takes)


@handles(asks.FindRunners)
async def find_runners(query: asks.FindRunners, caller: Caller, work: Work) -> asks.AgentsWithRunner:
    """The agents with a linked device that called a moment ago."""
    check_gateway(caller)
    since = work.now - timedelta(seconds=work.policy.runner_online_seconds)
    ready = {agent for device in await devices.devices_that_called(work, since) for agent in device.agents}
    return asks.AgentsWithRunner(agent_ids=[agent for agent in query.agent_ids if agent in ready])
