"""What is left of agents that were removed."""

from __future__ import annotations

from libs.bus import Work, consumes
from libs.contracts.directory import AgentRemoved
from services.pulse.handlers.leases import pass_on
from services.pulse.store import boards, leases


@consumes(AgentRemoved, by="pulse")
async def forget_agent(event: AgentRemoved, work: Work) -> None:
    """Take an agent off its board: its leases go to the next in their queues."""
    for team in await boards.teams_of(work, event.agent_id):
        board = await boards.lock_board(work, team)
        await boards.forget_agent(work, event.agent_id)
        for lease in await leases.leases_held_by(work, team, event.agent_id):
            await pass_on(lease, board, work)
