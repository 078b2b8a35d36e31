"""Rooms: what it takes to store a message in one."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from libs.contracts.caller import Caller
from libs.contracts.errors import Forbidden, InvalidInput, NotFound
from libs.contracts.policy import Policy
from libs.contracts.rooms import Message, PostMessage, StoreTaskRequest
from libs.contracts.tasks import TaskAllowed, TaskRequested
from libs.contracts.types import Provenance, is_agent
from libs.storage.ids import new_id
from services.rooms.domain.chains import Chain, Parent, loop_notice
from services.rooms.domain.memory import check_approved
from services.rooms.domain.mentions import Mentioned, find_mentions
from services.rooms.domain.messages import NewMessage, author_view
from services.rooms.domain.projects import no_such_project

TaskRequest = StoreTaskRequest | TaskRequested | TaskAllowed
"""Whatever brings a Task request into its room first."""
PERSONS_ONLY = ("owner_instruction", "owner_approved")
AGENTS_ONLY = ("agent_generated", "from_approved_context")


@dataclass
class Room:
    """A room, locked until the transaction ends: nobody else numbers its messages meanwhile (R19)."""

    project: str
    last_number: int
    members: dict[str, str] = field(default_factory=dict)
    """The members' display names by address."""
    messages: dict[str, Parent] = field(default_factory=dict)
    """Those of the messages replied to that are in this room, by id."""
    task_requests: set[str] = field(default_factory=set)
    """Those of the tasks named whose Task request is in this room."""
    memory: set[str] = field(default_factory=set)
    """Those of the memory entries named that hold now, by key."""

    def post(self, command: PostMessage, caller: Caller, now: datetime, policy: Policy) -> NewMessage:
        """Take a member's message, or refuse it."""
        if caller.subject not in self.members:
            raise no_such_project()
        provenance = provenance_of(command, caller)
        self._refuse_unknown(command)
        chain = self._chain(command, caller, now, policy)
        notice = loop_notice(chain, policy)
        named = command.mentions or []
        mentioned = find_mentions(named, command.body, caller.subject, self.members, looping=notice is not None)
        view = self._view(
            caller.subject,
            mentioned,
            id=new_id("msg"),
            body=command.body,
            provenance=provenance,
            in_reply_to=command.in_reply_to,
            task_id=command.task_id,
            created_at=now,
        )
        keys = command.memory_keys
        return NewMessage(
            self.last_number, caller.subject, view, "mention", mentioned, chain=chain, memory_keys=keys, notice=notice
        )

    def _chain(self, command: PostMessage, caller: Caller, now: datetime, policy: Policy) -> Chain | None:
        if command.in_reply_to is None or not caller.acts_as_agent:
            return None
        return self.messages[command.in_reply_to].followed_at(now, policy)

    def request_task(self, request: TaskRequest, now: datetime) -> NewMessage:
        """Take a Task request, which mentions its assignee and, whatever its body says, nobody else."""
        mentioned = Mentioned([request.assignee], [request.assignee], [])
        view = self._view(
            request.requester,
            mentioned,
            id=request.message_id,
            body=request.body,
            provenance="agent_generated" if is_agent(request.requester) else None,
            in_reply_to=None,
            task_id=request.task_id,
            created_at=now,
        )
        held = not isinstance(request, TaskAllowed) and request.held
        return NewMessage(self.last_number, request.requester, view, "task_request", mentioned, held)

    def _refuse_unknown(self, command: PostMessage) -> None:
        if command.in_reply_to and command.in_reply_to not in self.messages:
            raise NotFound("Reply to a message of this room, by the id that read_room gives.", field="in_reply_to")
        if command.task_id and command.task_id not in self.task_requests:
            raise NotFound("Name a task whose Task request is in this room, or none.", field="task_id")
        check_approved(command.memory_keys, self.memory)

    def _view(self, author: str, mentioned: Mentioned, **said: Any) -> Message:
        """A message as the next of this room."""
        self.last_number += 1
        name = self.members.get(author, author)
        return Message(project=self.project, author=author_view(author, name), mentions=mentioned.stored, **said)


def provenance_of(command: PostMessage, caller: Caller) -> Provenance | None:
    """Where the caller may say that a message comes from (R17)."""
    asked = command.provenance
    if caller.acts_as_agent and asked in PERSONS_ONLY:
        raise Forbidden("Leave provenance out: only persons instruct and approve as owners.", field="provenance")
    if not caller.acts_as_agent and asked in AGENTS_ONLY:
        raise InvalidInput("Leave provenance out, or say owner_instruction or owner_approved.", field="provenance")
    if asked == "from_approved_context" and not command.memory_keys:
        raise InvalidInput("Name the memory entries that the message rests on, by key.", field="memory_keys")
    if asked != "from_approved_context" and command.memory_keys is not None:
        raise InvalidInput("Leave memory_keys out, or say from_approved_context as provenance.", field="memory_keys")
    return asked or ("agent_generated" if caller.acts_as_agent else None)
