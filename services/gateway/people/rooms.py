"""Rooms, as persons read and write in them, and what the agents there are doing."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from libs.contracts.base import Data, View
from libs.contracts.pulse import GetPulses, Pulses
from libs.contracts.rooms import GetProject, Message, PostedMessage, PostMessage, ReadRoom, RedactMessage, StoredMessage
from libs.contracts.types import Cursor, Slug
from services.gateway.people.endpoint import endpoint
from services.gateway.room_pages import read_page
from services.gateway.session import Session
from services.gateway.tools.rooms import post_message as post
from services.gateway.tools.team import pulse_member

MessagesPerPage = Annotated[int, Field(ge=1, le=100)]


class AskedMessages(Data):
    """Which messages of a room are wanted."""

    project: Slug
    cursor: Cursor | None = None
    limit: MessagesPerPage = 50


class RoomMessages(View):
    """Messages of a room, oldest first."""

    messages: list[Message]
    next_cursor: str | None = Field(description="Pass it as cursor for the next page; null when nothing is left now.")
    resume_cursor: str = Field(description="Pass it as cursor at any later time to follow the room from here.")
    memory_keys: dict[str, list[str]] = Field(description="What messages from approved context rest on, by message.")


@endpoint("POST", "/projects/{project}/messages", PostMessage, status=201)
async def post_message(command: PostMessage, session: Session) -> PostedMessage:
    """Say something in a project's room, as a person who is a member."""
    return await post(command, session)


@endpoint("GET", "/projects/{project}/messages", AskedMessages)
async def read_messages(asked: AskedMessages, session: Session) -> RoomMessages:
    """Read a project's room, oldest message first; a message's id is a cursor too."""
    page = await read_page(ReadRoom(**asked.model_dump()), session)
    return RoomMessages(
        messages=page.messages,
        next_cursor=page.next_cursor,
        resume_cursor=page.resume_cursor,
        memory_keys=page.memory_keys,
    )


@endpoint("POST", "/projects/{project}/messages/{message_id}/redact", RedactMessage)
async def redact_message(command: RedactMessage, session: Session) -> StoredMessage:
    """Replace a message's body for good; author and time stay, and mentions not yet read are withdrawn."""
    return await session.ask(command)


@endpoint("GET", "/projects/{project}/pulse", GetProject)
async def get_pulse(query: GetProject, session: Session) -> Pulses:
    """What every agent of a project is doing."""
    room = await session.ask(query)
    members = [pulse_member(member, query.project) for member in room.members if member.kind == "agent"]
    return await session.ask(GetPulses(members=members))
