"""Reading and writing in rooms."""

from __future__ import annotations

import re
from typing import Any

from libs.contracts.errors import BadCursor
from libs.contracts.rooms import PostedMessage, PostMessage, ReadMessages, ReadRoom
from libs.contracts.tasks import EndDiscussion
from libs.contracts.types import ID_PATTERN
from services.gateway.cursors import START_OVER, Binding
from services.gateway.session import Session
from services.gateway.tools.registry import tool

NUMBER_BYTES = 8


@tool
async def post_message(asked: PostMessage, session: Session) -> PostedMessage:
    """Store a message; rooms tells those it mentions. A discussion ends with the reply to its message (R14)."""
    posted = await session.ask(asked)
    run = session.caller.run
    if run and run.discussion_id and asked.in_reply_to == run.message_id:
        await session.ask(EndDiscussion(discussion_id=run.discussion_id))
    return posted


@tool
async def read_room(asked: ReadRoom, session: Session) -> dict[str, Any]:
    """A page of messages. `_meta.resume_cursor` follows the room from the page's end, also from the last one."""
    binding = Binding("read_room", session.caller.subject, asked.project)
    start = _start(asked.cursor, binding, session)
    page = await session.ask(ReadMessages(project=asked.project, limit=asked.limit, **start))
    cursor = session.cursors.write(binding, page.last_number.to_bytes(NUMBER_BYTES, "big"))
    session.meta["resume_cursor"] = cursor
    return {"messages": [message.wire() for message in page.messages], "next_cursor": cursor if page.more else None}


def _start(cursor: str | None, binding: Binding, session: Session) -> dict[str, Any]:
    """Where to start: at the beginning, after a number, or after a message whose id serves as cursor."""
    if cursor is None:
        return {}
    try:
        content, current = session.cursors.read(binding, cursor)
    except BadCursor:
        if re.fullmatch(ID_PATTERN, cursor) and len(cursor) <= 64:
            return {"after_message": cursor}
        raise
    if not current:
        raise BadCursor(START_OVER, field="cursor")
    return {"after_number": int.from_bytes(content, "big")}
