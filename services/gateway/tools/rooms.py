"""Reading and writing in rooms."""

from __future__ import annotations

from typing import Any

from libs.contracts.directory import DescribeAddresses
from libs.contracts.pulse import ClearParks
from libs.contracts.rooms import PostedMessage, PostMessage, ReadRoom
from libs.contracts.tasks import EndDiscussion
from services.gateway.room_pages import read_page
from services.gateway.session import Session
from services.gateway.tools.registry import tool


@tool
async def post_message(asked: PostMessage, session: Session) -> PostedMessage:
    """Store a message; rooms tells those it mentions. A discussion ends with the reply to its message (R14)."""
    posted = await session.ask(asked)
    run = session.caller.run
    if run and run.discussion_id and asked.in_reply_to == run.message_id:
        await session.ask(EndDiscussion(discussion_id=run.discussion_id))
    return await _with_parks_cleared(posted, asked.clears, session) if asked.clears else posted


async def _with_parks_cleared(posted: PostedMessage, clears: list[str], session: Session) -> PostedMessage:
    """Clear the parks that a stored message satisfies; a repeated call gets the same answer (R37)."""
    known = await session.gateway.describe(DescribeAddresses(addresses=[session.caller.subject]))
    team = known.agents[0].team if known.agents else known.people[0].team
    command = ClearParks(team=team, addresses=clears, message_id=posted.message.id)
    cleared = await session.ask(command)
    return posted.model_copy(update={"cleared": cleared.cleared, "not_cleared": cleared.not_cleared})


@tool
async def read_room(asked: ReadRoom, session: Session) -> dict[str, Any]:
    """A page of messages. `_meta.resume_cursor` follows the room from the page's end, also from the last one."""
    page = await read_page(asked, session)
    session.meta["resume_cursor"] = page.resume_cursor
    if page.memory_keys:
        session.meta["memory_keys"] = page.memory_keys
    return {"messages": [message.wire() for message in page.messages], "next_cursor": page.next_cursor}
