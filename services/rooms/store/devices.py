"""Devices and their links: many short rows, so that posting finds them by agent and project in one query."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import Any

from sqlalchemy import delete, insert
from sqlmodel import col, select

from libs.bus import Work
from libs.contracts.directory import DeviceChanged
from libs.storage import insert_into
from services.rooms.domain import Device, LinkedAgent, LinkedProject, Links

Place = tuple[str, str]
"""A project and an agent in it."""


async def keep_device(work: Work, news: DeviceChanged) -> bool:
    """Note that a device changed, and lock it; False when as new a change was heard of before."""
    known = insert_into(work.session, Device).values(device_id=news.device_id, owner=news.owner, version=news.version)
    newer = known.on_conflict_do_update(
        index_elements=["device_id"],
        set_={"version": known.excluded.version},
        where=col(Device.version) < known.excluded.version,
    )
    return (await work.session.execute(newer.returning(Device.device_id))).one_or_none() is not None


async def replace_links(work: Work, device_id: str, agents: Collection[str], projects: Collection[str]) -> None:
    """Link a device to these agents and projects, and to no others."""
    links: list[tuple[type[LinkedAgent | LinkedProject], list[dict[str, Any]]]] = [
        (LinkedAgent, [{"agent": agent, "device_id": device_id} for agent in agents]),
        (LinkedProject, [{"project": project, "device_id": device_id} for project in projects]),
    ]
    for table, rows in links:
        await work.session.execute(delete(table).where(col(table.device_id) == device_id))
        if rows:
            await work.session.execute(insert(table), rows)


async def links_of(work: Work, device_id: str) -> Links:
    """Whose a device is and the projects it is linked to."""
    query = select(Device.owner, LinkedProject.project).join(
        LinkedProject, col(LinkedProject.device_id) == Device.device_id
    )
    rows = (await work.session.exec(query.where(Device.device_id == device_id))).all()
    return Links(next((owner for owner, _ in rows), ""), frozenset(project for _, project in rows))


async def devices_in(work: Work, places: Collection[Place]) -> dict[Place, list[str]]:
    """The devices that run an agent in a project, for many at once, in the order of their ids."""
    query = select(LinkedProject.project, LinkedAgent.agent, LinkedAgent.device_id).join(
        LinkedProject, col(LinkedProject.device_id) == LinkedAgent.device_id
    )
    linked = query.where(
        col(LinkedAgent.agent).in_({agent for _, agent in places}),
        col(LinkedProject.project).in_({project for project, _ in places}),
    )
    found: defaultdict[Place, list[str]] = defaultdict(list)
    for project, agent, device_id in await work.session.exec(linked.order_by(col(LinkedAgent.device_id))):
        found[project, agent].append(device_id)
    return found
