"""Devices and the agents that they are linked to."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlmodel import col, select

from libs.bus import Work
from libs.storage import insert_into
from services.tasks.domain import Assignee, Device, Task


async def lock_device(work: Work, device_id: str, owner: str) -> Device:
    """The device, known or not, unchanged by others until the transaction ends (R12)."""
    unknown = {"device_id": device_id, "owner": owner, "agents": [], "projects": [], "version": 0}
    insert = insert_into(work.session, Device).values(unknown)
    await work.session.execute(insert.on_conflict_do_nothing(index_elements=["device_id"]))
    query = select(Device).where(Device.device_id == device_id).with_for_update()
    return (await work.session.exec(query)).one()


async def devices_told_of(work: Work, tasks: Collection[Task]) -> Sequence[Device]:
    """The devices of the assignees' owners, of which none gets or loses a link until the transaction ends (R19)."""
    await _lock_assignees(work, {task.assignee for task in tasks})
    owners = {task.assignee_owner for task in tasks}
    query = select(Device).where(col(Device.owner).in_(owners)).order_by(Device.device_id)
    return (await work.session.exec(query)).all()


async def requested_tasks(work: Work, device: Device) -> Sequence[Task]:
    """The requested tasks of a locked device's agents in its projects, none of which escapes until it commits (R19)."""
    await _lock_assignees(work, device.agents)
    query = select(Task).where(
        Task.state == "requested",
        col(Task.assignee).in_(device.agents),
        col(Task.project).in_(device.projects),
    )
    return (await work.session.exec(query.order_by(col(Task.created_at), Task.task_id))).all()


async def _lock_assignees(work: Work, agents: Collection[str]) -> None:
    """One sorted upsert: whoever comes second waits, and then reads what the first has written."""
    if agents:
        rows = [{"agent_id": agent_id} for agent_id in sorted(agents)]
        insert = insert_into(work.session, Assignee).values(rows)
        again = {"agent_id": insert.excluded.agent_id}
        await work.session.execute(insert.on_conflict_do_update(index_elements=["agent_id"], set_=again))
