"""Messages, as they are read."""

from __future__ import annotations

from collections.abc import Collection

from sqlmodel import col, select

from libs.bus import Work
from libs.contracts.errors import NotFound
from services.rooms.domain import Message


async def find_message(work: Work, message_id: str) -> Message | None:
    """A message by its id."""
    return await work.session.get(Message, message_id)


async def message_of(work: Work, project: str, message_id: str) -> Message:
    """A message of the room, by its id."""
    message = await find_message(work, message_id)
    if message is None or message.project != project:
        raise NotFound("Name a message of this project, by its id.", field="message_id")
    return message


async def find_messages(work: Work, project: str, ids: Collection[str]) -> dict[str, Message]:
    """Those of the messages that are in the room, by id."""
    query = select(Message).where(Message.project == project, col(Message.id).in_(ids))
    return {message.id: message for message in await work.session.exec(query)}


async def messages_after(work: Work, project: str, number: int, limit: int) -> list[Message]:
    """The room's messages after a number, oldest first."""
    query = select(Message).where(Message.project == project, Message.number > number)
    return list(await work.session.exec(query.order_by(col(Message.number)).limit(limit)))
