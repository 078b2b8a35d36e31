"""Mailbox entries that rooms writes."""

from __future__ import annotations

from collections.abc import Sequence

from libs.bus import Work
from services.rooms.domain import MemoryEntry, NewMessage
from services.rooms.store.devices import devices_in


def tell(new: NewMessage, work: Work) -> None:
    """Put a new message into the mailboxes of the agents it mentions (R18)."""
    if new.told:
        body = {"message": new.view.wire()}
        for agent in new.told:
            work.deliver(agent, new.kind, new.view.project, body)


async def tell_devices(messages: Sequence[NewMessage], work: Work) -> None:
    """Put plain messages into the mailboxes of the devices that run the agents they mention, once for each agent."""
    places = [(new.view.project, agent) for new in messages for agent in new.told]
    if not places:
        return
    devices = await devices_in(work, places)
    for new in messages if devices else ():
        message = new.view.wire()
        for agent in new.told:
            for device in devices.get((new.view.project, agent), ()):
                work.deliver(device, "discussion", new.view.project, {"message": message, "agent_id": agent})


def tell_of_memory(entry: MemoryEntry, agents: list[str], work: Work, *, removed: bool = False) -> None:
    """Put an entry as it is now, or as it last was, into the mailboxes of the project's agents."""
    body = {"entry": entry.view().wire()} | ({"removed": True} if removed else {})
    for agent in agents:
        work.deliver(agent, "memory_changed", entry.project, body)
