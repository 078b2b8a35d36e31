"""Pages of a room, as agents and persons read them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from libs.contracts.errors import BadCursor
from libs.contracts.rooms import Message, ReadMessages, ReadRoom
from libs.contracts.types import ID_PATTERN
from services.gateway.cursors import Binding
from services.gateway.session import Session

NUMBER_BYTES = 8


@dataclass(frozen=True, slots=True)
class RoomReading:
    """One page, oldest message first."""

    messages: list[Message]
    resume_cursor: str
    """Follows the room from the page's end, also from the last page."""
    more: bool
    memory_keys: dict[str, list[str]]
    """The memory entries that messages from approved context rest on, by message."""

    @property
    def next_cursor(self) -> str | None:
        """Where the next page starts; None when nothing is left now."""
        return self.resume_cursor if self.more else None


async def read_page(asked: ReadRoom, session: Session) -> RoomReading:
    """The page after the cursor, or the first one; marks nothing."""
    binding = Binding("read_room", session.caller.subject, asked.project)
    start = _start(asked.cursor, binding, session)
    page = await session.ask(ReadMessages(project=asked.project, limit=asked.limit, **start))
    cursor = session.cursors.write(binding, page.last_number.to_bytes(NUMBER_BYTES, "big"))
    return RoomReading(page.messages, cursor, page.more, page.memory_keys)


def _start(cursor: str | None, binding: Binding, session: Session) -> dict[str, Any]:
    """Where to start: at the beginning, after a number, or after a message whose id serves as cursor."""
    if cursor is None:
        return {}
    try:
        content = session.cursors.read_current(binding, cursor)
    except BadCursor:
        if re.fullmatch(ID_PATTERN, cursor) and len(cursor) <= 64:
            return {"after_message": cursor}
        raise
    return {"after_number": int.from_bytes(content, "big")}
