"""Leases and their queues; the board of their team is locked before."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import ColumnElement, case, func
from sqlmodel import col, or_, select

from libs.bus import Work
from services.pulse.domain import Lease, Waiter
from services.pulse.domain.answers import LISTED


async def find_lease(work: Work, lease_id: str) -> Lease | None:
    """A lease, also one that nobody holds any more."""
    return await work.session.get(Lease, lease_id)


async def held_in_other_case(work: Work, lease_id: str, folded_id: str) -> Lease | None:
    """A held lease whose name differs in case alone."""
    query = select(Lease).where(
        Lease.folded_id == folded_id, Lease.lease_id != lease_id, col(Lease.holder).is_not(None)
    )
    return (await work.session.exec(query)).first()


async def ended_leases(work: Work, team: str) -> Sequence[Lease]:
    """Leases whose holder let them lapse, and those that are to be forgotten."""
    query = select(Lease).where(Lease.team == team, col(Lease.expires_at) <= work.now).order_by(col(Lease.expires_at))
    return (await work.session.exec(query)).all()


async def leases_held_by(work: Work, team: str, agent_id: str) -> Sequence[Lease]:
    """What an agent holds."""
    query = select(Lease).where(Lease.team == team, Lease.holder == agent_id).order_by(Lease.lease_id)
    return (await work.session.exec(query)).all()


async def queues_of(work: Work, lease_ids: Collection[str]) -> dict[str, list[Waiter]]:
    """Who waits for some leases, next one first."""
    queues: dict[str, list[Waiter]] = defaultdict(list)
    query = select(Waiter).where(col(Waiter.lease_id).in_(lease_ids)).order_by(col(Waiter.place))
    for waiter in (await work.session.exec(query)).all():
        queues[waiter.lease_id].append(waiter)
    return queues


async def remove(work: Work, thing: Lease | Waiter) -> None:
    """Forget a lease that nobody holds, or let somebody leave a queue."""
    await work.session.delete(thing)


async def concerns_of(work: Work, team: str, agent_id: str) -> int:
    """How many leases an agent holds or waits for."""
    return await _count(work, _held(team), _concerns(agent_id))


async def listed_leases(
    work: Work, team: str, agent_id: str, project: str | None, everyones: bool
) -> tuple[Sequence[Lease], int]:
    """The first leases an answer shows, and how many it is about: the agent's own, then those of its project (R33)."""
    own = _concerns(agent_id)
    wanted = [_held(team)] if everyones else [_held(team), own]
    ranks = [case((own, 0), else_=1), case((col(Lease.name) == f"coordinator:{project}", 0), else_=1)]
    query = select(Lease).where(*wanted).order_by(*ranks, col(Lease.granted_at).desc(), col(Lease.fence).desc())
    shown = (await work.session.exec(query.limit(LISTED))).all()
    return shown, len(shown) if len(shown) < LISTED else await _count(work, *wanted)


def _held(team: str) -> ColumnElement[bool]:
    return (col(Lease.team) == team) & col(Lease.holder).is_not(None)


def _concerns(agent_id: str) -> ColumnElement[bool]:
    awaited = select(Waiter.lease_id).where(Waiter.agent_id == agent_id)
    return or_(col(Lease.holder) == agent_id, col(Lease.lease_id).in_(awaited))


async def _count(work: Work, *wanted: ColumnElement[Any]) -> int:
    return (await work.session.exec(select(func.count()).select_from(Lease).where(*wanted))).one()
