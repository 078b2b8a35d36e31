"""Reading a room."""

from __future__ import annotations

from libs.bus import Work, handles
from libs.contracts.caller import Caller
from libs.contracts.errors import BadCursor
from libs.contracts.rooms import FindMessage, FoundMessage, MessagesPage, ReadMessages
from services.rooms.domain import fitting, no_such_project
from services.rooms.handlers.devices import member_behind
from services.rooms.store.messages import find_message, message_of, messages_after
from services.rooms.store.projects import is_member, read_roster


@handles(ReadMessages)
async def read_messages(query: ReadMessages, caller: Caller, work: Work) -> MessagesPage:
    """Read a room after a number or a message, oldest first; it marks nothing."""
    if not await is_member(work, query.project, caller.subject):
        raise no_such_project()
    start = await start_of(query, work)
    found = await messages_after(work, query.project, start, query.limit + 1)
    shown = fitting([message.view() for message in found[: query.limit]])
    last_number = found[len(shown) - 1].number if shown else start
    keys = {message.id: message.memory_keys for message in found[: len(shown)] if message.memory_keys}
    return MessagesPage(messages=shown, last_number=last_number, more=len(shown) < len(found), memory_keys=keys)


async def start_of(query: ReadMessages, work: Work) -> int:
    """The number after which to read."""
    if query.after_message is None:
        return query.after_number
    message = await find_message(work, query.after_message)
    if message is None or message.project != query.project:
        raise BadCursor("Pass a cursor that read_room gave for this project, or leave it out.", field="cursor")
    return message.number


@handles(FindMessage)
async def show_message(query: FindMessage, caller: Caller, work: Work) -> FoundMessage:
    """Show one message and the agents that it mentions, for instance before a device claims it (R14)."""
    roster = await read_roster(work, query.project)
    roster.refuse_outsiders(caller, await member_behind(caller, query.project, work))
    message = await message_of(work, query.project, query.message_id)
    return FoundMessage(
        message=message.view(),
        is_task_request=message.is_task_request,
        mentioned=roster.agents_among(message.mentions),
        memory_keys=message.memory_keys or [],
    )
