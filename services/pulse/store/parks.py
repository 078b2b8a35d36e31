"""Parks, and what messages did to them."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta

from sqlmodel import col, delete, select

from libs.bus import Work
from services.pulse.domain import Clearing, Park


async def park_of(work: Work, agent_id: str) -> Park | None:
    """Why an agent stopped, if it did."""
    return await work.session.get(Park, agent_id)


async def parks_of(work: Work, team: str, addresses: Collection[str]) -> dict[str, Park]:
    """The parks of some agents of a team."""
    query = select(Park).where(Park.team == team, col(Park.agent_id).in_(addresses))
    return {park.agent_id: park for park in (await work.session.exec(query)).all()}


async def end_park(work: Work, park: Park) -> None:
    """Let an agent be parked no longer."""
    await work.session.delete(park)


async def replace(work: Work, former: Park | None, park: Park | None) -> None:
    """Store a park in place of an agent's former one, or none."""
    if former is not None and former is not park:
        await work.session.delete(former)
        await work.session.flush()
    if park is not None:
        work.session.add(park)


async def clearing_of(work: Work, message_id: str) -> Clearing | None:
    """What a message did to parks, if it was asked before."""
    return await work.session.get(Clearing, message_id)


async def forget_clearings(work: Work) -> None:
    """Forget what nobody repeats any more (R40)."""
    oldest = work.now - timedelta(seconds=work.policy.keyed_answers_seconds)
    await work.session.execute(delete(Clearing).where(col(Clearing.at) < oldest))
