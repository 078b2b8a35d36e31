"""Devices of members: what is heard of them, and what they may see."""

from __future__ import annotations

from libs.bus import Work, consumes
from libs.contracts.caller import Caller
from libs.contracts.directory import DeviceChanged
from services.rooms.store.devices import keep_device, links_of, replace_links


@consumes(DeviceChanged, by="rooms")
async def follow_device(event: DeviceChanged, work: Work) -> None:
    """Keep the links of a device as they are now (R19); old news changes nothing (R42)."""
    if await keep_device(work, event):
        linked = ([], []) if event.removed else (event.agents, event.projects)
        await replace_links(work, event.device_id, *linked)


async def member_behind(caller: Caller, project: str, work: Work) -> str:
    """Whose membership lets the caller see a project: its own, or its owner's if it is a device linked there."""
    if not caller.is_device:
        return caller.subject
    links = await links_of(work, caller.subject)
    return links.owner if project in links.projects else caller.subject
