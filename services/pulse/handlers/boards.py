"""The shared board: one handler for all that memory_agents does (R32-R36)."""

from __future__ import annotations

from libs.bus import Work, handles
from libs.contracts.caller import Caller
from libs.contracts.pulse import BoardAnswer, BoardFacts, ListBoard, MemoryAgents
from services.pulse.domain import Board
from services.pulse.domain.actions import check_action
from services.pulse.domain.answers import Done, Leases, Peers, answer
from services.pulse.domain.rows import Peer
from services.pulse.handlers.leases import claim, release, settle
from services.pulse.handlers.rows import update
from services.pulse.store import boards, leases


@handles(MemoryAgents)
async def memory_agents(command: MemoryAgents, caller: Caller, work: Work) -> BoardAnswer:
    """Carry out an action on the board of the caller's team, after what is due there."""
    facts = check_action(command, caller)
    board = await boards.lock_board(work, facts.team)
    await settle(board, work)
    done = await _carry_out(command, caller.subject, board, work)
    return await _answer(done, command, facts, caller.subject, work)


@handles(ListBoard)
async def list_board(command: ListBoard, caller: Caller, work: Work) -> BoardAnswer:
    """The board as it is after what is due there."""
    return await memory_agents(command, caller, work)


async def _carry_out(command: MemoryAgents, agent_id: str, board: Board, work: Work) -> Done:
    match command.action:
        case "update":
            return await update(command, agent_id, board, work)
        case "claim":
            return await claim(command, agent_id, board, work)
        case "release":
            return await release(command, agent_id, board, work)
    return Done()


async def _answer(done: Done, command: MemoryAgents, facts: BoardFacts, agent_id: str, work: Work) -> BoardAnswer:
    """What was done, with the caller's own state, and everybody's for a list."""
    lists = command.action == "list"
    agents = [agent for agent in facts.agents if lists or agent.agent_id == agent_id]
    known = {peer.row.agent_id: peer for peer in await boards.peers_of(work, facts.team, agents)}
    you = known.pop(agent_id)
    return answer(
        done,
        you.view(facts.projects, work.now, work.policy),
        _peers([*known.values()], command, facts, work) if lists else None,
        await _leases(command, facts, agent_id, work),
    )


def _peers(peers: list[Peer], command: MemoryAgents, facts: BoardFacts, work: Work) -> Peers:
    """Attached ones first, then the more relevant, then the latest (R33)."""

    def rank(peer: Peer) -> tuple[bool, int, float]:
        at = peer.active_at
        relevance = peer.relevance(command.project, command.task)
        return (not peer.is_attached(work.now, work.policy), -relevance, -at.timestamp() if at else 0.0)

    active = sorted((peer for peer in peers if peer.is_active(work.now, work.policy)), key=rank)
    views = [peer.view(facts.projects, work.now, work.policy) for peer in active]
    return Peers(views, len(peers) - len(active))


async def _leases(command: MemoryAgents, facts: BoardFacts, agent_id: str, work: Work) -> Leases:
    everyones = command.action == "list"
    shown, count = await leases.listed_leases(work, facts.team, agent_id, command.project, everyones)
    queues = await leases.queues_of(work, [lease.lease_id for lease in shown])
    return Leases([lease.view(queues[lease.lease_id], agent_id, work.now) for lease in shown], count)
