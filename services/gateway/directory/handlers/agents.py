"""Agents, by their owners and the operator."""

from __future__ import annotations

from libs.bus import Work, handles
from libs.contracts import directory as asks
from libs.contracts.caller import Caller
from libs.contracts.types import owner_of
from services.gateway.directory.domain import Agent, check_agent_name, check_governs
from services.gateway.directory.store import agents, devices, keys, people
from services.gateway.directory.store.things import add


@handles(asks.CreateAgent)
async def create_agent(command: asks.CreateAgent, caller: Caller, work: Work) -> asks.Agent:
    """Create an agent, as its owner or the operator."""
    check_agent_name(command.agent_id)
    owner = await people.lock_person(work, owner_of(command.agent_id), caller)
    check_governs(caller, command.agent_id)
    agent = Agent(**command.model_dump(), owner=owner.handle, created_at=work.now)
    await add(work, agent, "Choose another name; this address was given out before.")
    return agent.view(owner.team)


@handles(asks.UpdateAgent)
async def update_agent(command: asks.UpdateAgent, caller: Caller, work: Work) -> asks.Agent:
    """Change what an agent's owner may set; a new name is announced."""
    agent, team = await agents.lock_agent(work, command.agent_id, caller)
    check_governs(caller, agent.agent_id)
    if agent.change(command):
        work.announce(agent.changed())
    return agent.view(team)


@handles(asks.RemoveAgent)
async def remove_agent(command: asks.RemoveAgent, caller: Caller, work: Work) -> asks.Agent:
    """Remove an agent for good: its keys end, and its owner's devices let go of it."""
    agent, team = await agents.lock_agent(work, command.agent_id, caller)
    check_governs(caller, agent.agent_id)
    agent.remove(work.now)
    await keys.revoke_keys(work, agent.agent_id)
    work.announce(asks.AgentRemoved(agent_id=agent.agent_id))
    for device in await devices.lock_devices_of(work, agent.owner):
        if device.unlink(agent.agent_id):
            work.announce(device.changed())
    return agent.view(team)


@handles(asks.ListAgents)
async def list_agents(query: asks.ListAgents, caller: Caller, work: Work) -> asks.Agents:
    """The agents of the caller's team; all of them for the operator."""
    return asks.Agents(agents=[agent.view(team) for agent, team in await agents.agents(work, caller)])
