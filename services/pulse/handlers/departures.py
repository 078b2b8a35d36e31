"""What is left of agents that were removed."""

from __future__ import annotations

from libs.bus import Work, consumes
from libs.contracts.directory import AgentRemoved, PersonRemoved
from services.pulse.handlers.leases import pass_on
from services.pulse.store import boards, leases


@consumes(AgentRemoved, by="pulse")
async def forget_agent(event: AgentRemoved, work: Work) -> None:
    """Take an agent off its board."""
    await _take_off(event.agent_id, work)


@consumes(PersonRemoved, by="pulse")
async def forget_agents_of_person(event: PersonRemoved, work: Work) -> None:
    """Take all agents of a person off their board."""
    for agent_id in event.agents:
        await _take_off(agent_id, work)


async def _take_off(agent_id: str, work: Work) -> None:
    """Its leases go to the next in their queues."""
    for team in await boards.teams_of(work, agent_id):
        board = await boards.lock_board(work, team)
        await boards.forget_agent(work, agent_id)
        for lease in await leases.leases_held_by(work, team, agent_id):
            await pass_on(lease, board, work)
