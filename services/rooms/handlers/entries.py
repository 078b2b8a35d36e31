"""Mailbox entries that rooms writes."""

from __future__ import annotations

from libs.bus import Work
from services.rooms.domain import NewMessage


def tell(new: NewMessage, work: Work) -> None:
    """Put a new message into the mailboxes of the agents it mentions (R18)."""
    if new.told:
        body = {"message": new.view.wire()}
        for agent in new.told:
            work.deliver(agent, new.kind, new.view.project, body)
