"""Rooms, and what the agents there are doing."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator

from prickle.errors import PASSING, HubError
from prickle.people.line import Line
from prickle.views import Message, PostedMessage, Pulse, RoomPage

LARGEST_PAGE = 100
LOOK_SECONDS = 1.0


class RoomsApi(Line):
    """Reading and writing in rooms."""

    async def post_message(
        self,
        project: str,
        body: str,
        *,
        provenance: str | None = None,
        mentions: list[str] | None = None,
        in_reply_to: str | None = None,
        task_id: str | None = None,
        clears: list[str] | None = None,
        idempotency_key: str | None = None,
    ) -> PostedMessage:
        """Say something in a room; `provenance` is `owner_instruction` or `owner_approved`, or None."""
        about = {"in_reply_to": in_reply_to, "task_id": task_id, "clears": clears, "idempotency_key": idempotency_key}
        said = {"body": body, "provenance": provenance, "mentions": mentions}
        posted: PostedMessage = await self._send("POST", "projects", project, "messages", **said, **about)
        return posted

    async def read_messages(self, project: str, *, cursor: str | None = None, limit: int | None = None) -> RoomPage:
        """A page of a room, oldest message first; `resume_cursor` follows the room from its end at any time."""
        page: RoomPage = await self._send("GET", "projects", project, "messages", cursor=cursor, limit=limit)
        return page

    async def newest_messages(self, project: str, count: int) -> list[Message]:
        """The last messages of a room, oldest first."""
        newest: deque[Message] = deque(maxlen=count)
        cursor: str | None = None
        while True:
            page = await self.read_messages(project, cursor=cursor, limit=LARGEST_PAGE)
            newest.extend(page["messages"])
            cursor = page["next_cursor"]
            if cursor is None:
                return list(newest)

    async def follow_messages(self, project: str, after: str | None = None) -> AsyncIterator[Message]:
        """Every message after the one with this id, or all; for ever: in order, each once, however often the hub is
        away meanwhile."""
        while True:
            page = await self._messages_after(project, after)
            for message in page["messages"]:
                yield message
                after = message["id"]
            if page["next_cursor"] is None:
                await asyncio.sleep(LOOK_SECONDS)

    async def _messages_after(self, project: str, message_id: str | None) -> RoomPage:
        while True:
            try:
                return await self.read_messages(project, cursor=message_id, limit=LARGEST_PAGE)
            except HubError as error:
                if error.code not in PASSING:
                    raise
                await asyncio.sleep(error.retry_after_seconds or LOOK_SECONDS)

    async def redact_message(self, project: str, message_id: str, *, reason: str | None = None) -> Message:
        """Replace a message's body for good."""
        path = ("projects", project, "messages", message_id, "redact")
        message: Message = (await self._send("POST", *path, reason=reason))["message"]
        return message

    async def get_pulse(self, project: str) -> list[Pulse]:
        """What every agent of a project is doing."""
        pulses: list[Pulse] = (await self._send("GET", "projects", project, "pulse"))["pulses"]
        return pulses
