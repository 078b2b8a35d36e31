"""The rooms part of a mailbox."""

from __future__ import annotations

from libs.bus import Work, handles
from libs.bus.mailbox import read_mailbox
from libs.contracts.caller import Caller
from libs.contracts.mailbox import MailboxPage, ReadRoomsMailbox
from libs.contracts.types import is_agent
from services.rooms.store.devices import links_of
from services.rooms.store.projects import memberships


@handles(ReadRoomsMailbox)
async def read_rooms_mailbox(query: ReadRoomsMailbox, caller: Caller, work: Work) -> MailboxPage:
    """Read entries of the projects that the recipient is in; whoever came back is told to resync (R26)."""
    projects, rejoins = await places_of(query.recipient, work)
    known = await known_rejoins(query, work)
    page = await read_mailbox(query.model_copy(update={"projects": projects}), work)
    came_back = known < rejoins
    return page.model_copy(update={"projects": projects, "rejoins": rejoins, "resync": page.resync or came_back})


async def places_of(recipient: str, work: Work) -> tuple[list[str], int]:
    """An agent's projects and how often it was added again; a device's are those of its owner that are linked to it."""
    links = None if is_agent(recipient) else await links_of(work, recipient)
    rows = await memberships(work, links.owner if links else recipient)
    projects = [row.project for row in rows if row.active and (links is None or row.project in links.projects)]
    return projects, sum(row.rejoins for row in rows)


async def known_rejoins(query: ReadRoomsMailbox, work: Work) -> int:
    """How many rejoins the cursor knows, or the last cursor that was acknowledged: kept beside its position."""
    tool = f"{query.tool}:rejoins"
    if query.after is None:
        return await work.positions.remembered(work.session, query.recipient, tool)
    known = query.rejoins or 0
    if query.acknowledged:
        work.positions.remember(query.recipient, tool, known)
    return known
