"""Agents with their owner's team."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import true
from sqlmodel import col, select
from sqlmodel.sql.expression import Select

from libs.bus import Work
from libs.contracts.caller import Caller
from libs.contracts.errors import NotFound
from services.gateway.directory.domain import Agent, Person
from services.gateway.directory.store.people import seen_by

OwnedAgent = tuple[Agent, str]
"""An agent and its owner's team."""


async def agent(work: Work, agent_id: str, caller: Caller) -> OwnedAgent:
    """A live agent that the caller may see."""
    return await _one_agent(work, _agents_seen_by(caller).where(Agent.agent_id == agent_id))


async def lock_agent(work: Work, agent_id: str, caller: Caller) -> OwnedAgent:
    """A live agent that the caller may see, locked so that two changes do not meet."""
    return await _one_agent(work, _agents_seen_by(caller).where(Agent.agent_id == agent_id).with_for_update(of=Agent))


async def lock_live(work: Work, agent_ids: Collection[str]) -> list[Agent]:
    """Those of some agents that are not removed; none of them can be until the transaction ends."""
    query = select(Agent).where(col(Agent.agent_id).in_(agent_ids), col(Agent.removed_at).is_(None))
    return list(await work.session.exec(query.order_by(Agent.agent_id).with_for_update()))


async def lock_agents_of(work: Work, owner: str) -> Sequence[Agent]:
    """A person's agents that are not removed, locked in the order of their addresses."""
    query = select(Agent).where(Agent.owner == owner, col(Agent.removed_at).is_(None))
    return (await work.session.exec(query.order_by(Agent.agent_id).with_for_update())).all()


async def _one_agent(work: Work, query: Select[Agent, str]) -> OwnedAgent:
    found = (await work.session.exec(query)).one_or_none()
    if found is None:
        raise NotFound("Name an agent from the list of agents.")
    return found


async def agents(work: Work, caller: Caller, agent_ids: Collection[str] | None = None) -> Sequence[OwnedAgent]:
    """The live agents the caller may see, by address; of some addresses only, if they are given."""
    among = true() if agent_ids is None else col(Agent.agent_id).in_(agent_ids)
    return (await work.session.exec(_agents_seen_by(caller).where(among).order_by(Agent.agent_id))).all()


def _agents_seen_by(caller: Caller) -> Select[Agent, str]:
    with_team = select(Agent, Person.team).join(Person, col(Person.handle) == Agent.owner)
    return with_team.where(col(Agent.removed_at).is_(None), seen_by(caller))
