"""Rooms, and what the agents there are doing."""

from __future__ import annotations

from prickle.people.line import Line
from prickle.views import Message, PostedMessage, Pulse, RoomPage


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

    async def redact_message(self, project: str, message_id: str, *, reason: str | None = None) -> Message:
        """Replace a message's body for good."""
        path = ("projects", project, "messages", message_id, "redact")
        message: Message = (await self._send("POST", *path, reason=reason))["message"]
        return message

    async def get_pulse(self, project: str) -> list[Pulse]:
        """What every agent of a project is doing."""
        pulses: list[Pulse] = (await self._send("GET", "projects", project, "pulse"))["pulses"]
        return pulses
