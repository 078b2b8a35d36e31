"""The shared board of the caller's team."""

from __future__ import annotations

import asyncio

from libs.contracts.directory import ListAgents
from libs.contracts.pulse import BoardAgent, BoardAnswer, BoardFacts, ListBoard, MemoryAgents
from services.gateway.session import Session
from services.gateway.tools.registry import tool


@tool
async def memory_agents(asked: MemoryAgents, session: Session) -> BoardAnswer:
    """Tell pulse who is in the team; a list's answer is not kept for a repeated call."""
    command = ListBoard if asked.action == "list" else MemoryAgents
    said = asked.model_dump(exclude_unset=True)
    return await session.ask(command.model_validate(said | {"facts": await _facts(asked, session)}))


async def _facts(asked: MemoryAgents, session: Session) -> BoardFacts:
    """The caller's team and projects; all agents of the team only where they are shown or named."""
    caller = session.caller
    kind, _, named = (asked.lease or "").partition(":")
    including = named if kind == "coordinator" else None
    slugs, team = await asyncio.gather(session.projects(including=including), session.ask(ListAgents()))
    me = next(agent for agent in team.agents if agent.agent_id == caller.subject)
    concerned = team.agents if asked.action in ("list", "update") else [me]
    return BoardFacts(
        team=me.team,
        projects=[slug for slug in slugs if caller.project in (None, slug)],
        agents=[BoardAgent(agent_id=agent.agent_id, display_name=agent.display_name) for agent in concerned],
    )
