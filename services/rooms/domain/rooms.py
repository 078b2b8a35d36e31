"""Rooms: what it takes to store a message in one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

from libs.contracts.caller import Caller
from libs.contracts.errors import Forbidden, InvalidInput, NotFound
from libs.contracts.rooms import Message, PostMessage, StoreTaskRequest
from libs.contracts.tasks import TaskAllowed, TaskRequested
from libs.contracts.types import Provenance, is_agent
from libs.storage.ids import new_id
from services.rooms.domain.mentions import Mentioned, find_mentions
from services.rooms.domain.messages import NewMessage, author_view
from services.rooms.domain.projects import no_such_project

TaskRequest = StoreTaskRequest | TaskRequested | TaskAllowed
"""Whatever brings a Task request into its room first."""
PERSONS_ONLY = ("owner_instruction", "owner_approved")


@dataclass
class Room:
    """A room, locked until the transaction ends: nobody else numbers its messages meanwhile (R19)."""

    project: str
    last_number: int
    members: dict[str, str] = field(default_factory=dict)
    """The members' display names by address."""
    messages: set[str] = field(default_factory=set)
    """Those of the messages replied to that are in this room."""
    task_requests: set[str] = field(default_factory=set)
    """Those of the tasks named whose Task request is in this room."""

    def post(self, command: PostMessage, caller: Caller, now: datetime) -> NewMessage:
        """Take a member's message, or refuse it."""
        if caller.subject not in self.members:
            raise no_such_project()
        provenance = provenance_of(command, caller)
        self._refuse_unknown(command)
        mentioned = find_mentions(command.mentions or [], command.body, caller.subject, self.members)
        return self._take(
            "mention",
            caller.subject,
            mentioned,
            id=new_id("msg"),
            body=command.body,
            provenance=provenance,
            in_reply_to=command.in_reply_to,
            task_id=command.task_id,
            created_at=now,
        )

    def request_task(self, request: TaskRequest, now: datetime) -> NewMessage:
        """Take a Task request, which mentions its assignee and, whatever its body says, nobody else."""
        taken = self._take(
            "task_request",
            request.requester,
            Mentioned([request.assignee], [request.assignee], []),
            id=request.message_id,
            body=request.body,
            provenance="agent_generated" if is_agent(request.requester) else None,
            in_reply_to=None,
            task_id=request.task_id,
            created_at=now,
        )
        return taken if isinstance(request, TaskAllowed) else replace(taken, held=request.held)

    def _refuse_unknown(self, command: PostMessage) -> None:
        if command.in_reply_to and command.in_reply_to not in self.messages:
            raise NotFound("Reply to a message of this room, by the id that read_room gives.", field="in_reply_to")
        if command.task_id and command.task_id not in self.task_requests:
            raise NotFound("Name a task whose Task request is in this room, or none.", field="task_id")

    def _take(
        self, kind: Literal["mention", "task_request"], author: str, mentioned: Mentioned, **said: Any
    ) -> NewMessage:
        self.last_number += 1
        name = self.members.get(author, author)
        view = Message(project=self.project, author=author_view(author, name), mentions=mentioned.stored, **said)
        return NewMessage(self.last_number, author, view, kind, mentioned)


def provenance_of(command: PostMessage, caller: Caller) -> Provenance | None:
    """Where the caller may say that a message comes from (R17)."""
    asked = command.provenance
    if caller.acts_as_agent and asked in PERSONS_ONLY:
        raise Forbidden("Leave provenance out: only persons instruct and approve as owners.", field="provenance")
    if asked == "from_approved_context":
        raise InvalidInput("Leave provenance out: naming approved entries is not possible yet.", field="provenance")
    if not caller.acts_as_agent and asked == "agent_generated":
        raise InvalidInput("Leave provenance out, or say owner_instruction or owner_approved.", field="provenance")
    return asked or ("agent_generated" if caller.acts_as_agent else None)
