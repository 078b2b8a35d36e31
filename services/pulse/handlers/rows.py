"""What agents write into their own rows, their parks included (R34)."""

from __future__ import annotations

from libs.bus import Work
from libs.contracts.pulse import MemoryAgents
from services.pulse.domain import Board
from services.pulse.domain.actions import check_children
from services.pulse.domain.answers import Done
from services.pulse.domain.parks import check_park, new_park, parked
from services.pulse.store import boards, parks


async def update(command: MemoryAgents, agent_id: str, board: Board, work: Work) -> Done:
    """Take over what an agent says of itself; a status without a park ends the park that stood."""
    agents = {agent.agent_id for agent in command.facts.agents} if command.facts else set()
    check_children(command.children)
    check_park(command, agents, work.now, work.policy)
    row, former = await boards.row_of(work, agent_id, board.team), await parks.park_of(work, agent_id)
    parking = parked(former, command, new_park(agent_id, board.team, work.now, work.policy))
    row.take(command, work.now)
    work.session.add(row)
    await parks.replace(work, former, parking.park)
    return Done("updated", warning=parking.warning)
