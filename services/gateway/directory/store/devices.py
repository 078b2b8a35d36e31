"""Devices that are not removed. Whoever locks people, agents and devices locks them in this order."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlmodel import col, select
from sqlmodel.sql.expression import SelectOfScalar

from libs.bus import Work
from libs.contracts.caller import Caller
from libs.contracts.errors import NotFound
from services.gateway.directory.domain import Device, Key, governs, sees_everything

LIVE = select(Device).where(col(Device.removed_at).is_(None)).order_by(Device.device_id)


async def device(work: Work, device_id: str, caller: Caller) -> Device:
    """A device that the caller governs."""
    return await _governed(work, LIVE.where(Device.device_id == device_id), caller)


async def lock_device(work: Work, device_id: str, caller: Caller) -> Device:
    """A device that the caller governs, locked so that two changes do not meet."""
    return await _governed(work, LIVE.where(Device.device_id == device_id).with_for_update(), caller)


async def _governed(work: Work, query: SelectOfScalar[Device], caller: Caller) -> Device:
    found = (await work.session.exec(query)).one_or_none()
    if found is None or not governs(caller, found.owner):
        raise NotFound("Name a device from the list of your devices.", field="device_id")
    return found


async def known_device(work: Work, device_id: str) -> Device | None:
    """A device by its id, whoever asks."""
    return (await work.session.exec(LIVE.where(Device.device_id == device_id))).one_or_none()


async def devices(work: Work, caller: Caller) -> Sequence[Device]:
    """The devices of the calling person, oldest first; all of them from above the teams."""
    query = LIVE if sees_everything(caller) else LIVE.where(Device.owner == caller.subject)
    return (await work.session.exec(query)).all()


async def devices_that_called(work: Work, since: datetime) -> Sequence[Device]:
    """The devices with a key that was used since."""
    called = select(Key.subject).where(col(Key.last_used_at) > since, col(Key.revoked_at).is_(None))
    return (await work.session.exec(LIVE.where(col(Device.device_id).in_(called)))).all()


async def lock_devices_of(work: Work, owner: str) -> Sequence[Device]:
    """The devices of a person, oldest first, locked so that two changes do not meet."""
    return (await work.session.exec(LIVE.where(Device.owner == owner).with_for_update())).all()
