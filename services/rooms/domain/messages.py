"""Messages: what is stored of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Index, UniqueConstraint, text
from sqlmodel import Field

from libs.contracts.caller import Caller
from libs.contracts.errors import Forbidden
from libs.contracts.rooms import AgentAuthor, Author, PersonAuthor, PostedMessage
from libs.contracts.rooms import Message as MessageView
from libs.contracts.types import is_agent, owner_of
from libs.storage.columns import JsonValue, UtcDateTime
from services.rooms.domain.chains import Chain
from services.rooms.domain.mentions import Mentioned
from services.rooms.domain.table import RoomsTable

PAGE_BYTES = 60 * 1024
"""What the messages of one page may take of the 64 KiB of a result."""
IS_TASK_REQUEST = text("is_task_request")


class Message(RoomsTable, table=True):
    """A stored message, with its number in the room (R19)."""

    __table_args__ = (
        UniqueConstraint("project", "number"),
        Index("task_requests", "task_id", unique=True, sqlite_where=IS_TASK_REQUEST, postgresql_where=IS_TASK_REQUEST),
    )

    id: str = Field(primary_key=True)
    project: str = Field(foreign_key="project.slug")
    number: int
    author: str
    author_name: str
    """The author's display name when it was written."""
    body: str
    mentions: list[str] = Field(sa_type=JsonValue)
    provenance: str | None
    in_reply_to: str | None
    task_id: str | None
    is_task_request: bool
    held: bool
    """Whether its assignee is not told of it yet: its owner decides (R2)."""
    released_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """When its assignee was told after all."""
    memory_keys: list[str] | None = Field(default=None, sa_type=JsonValue)
    """The memory entries that it rests on, if it comes from approved context (R17)."""
    chain: Chain | None = Field(default=None, sa_type=JsonValue)
    redacted_by: str | None = None
    redacted_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    created_at: datetime = Field(sa_type=UtcDateTime)

    @property
    def told_at(self) -> datetime:
        """When those it mentions were told."""
        return self.released_at or self.created_at

    def release(self, now: datetime) -> bool:
        """Tell of it from now on; whether it was held."""
        if not self.held:
            return False
        self.held, self.released_at = False, now
        return True

    def refuse_redaction_by(self, caller: Caller, project_owner: str) -> None:
        """Its author, the author's owner and the project's owner redact it: persons alone."""
        if caller.kind != "person" or caller.subject not in (owner_of(self.author), project_owner):
            raise Forbidden("Ask the person who wrote it or whose agent did, or the project's owner, to redact it.")

    def redact(self, person: str, reason: str | None, now: datetime) -> None:
        """Put a note in the place of what it says; it mentions nobody any more."""
        self.body = f"[Redacted by {person}: {reason}]" if reason else f"[Redacted by {person}]"
        self.mentions = []
        self.redacted_by, self.redacted_at = person, now

    def view(self) -> MessageView:
        stored = {name: getattr(self, name) for name in MessageView.model_fields}
        return MessageView(**stored | {"author": author_view(self.author, self.author_name)})


def author_view(address: str, display_name: str) -> Author:
    """A person or agent as the author of a message."""
    if is_agent(address):
        return AgentAuthor(agent_id=address, owner=owner_of(address), display_name=display_name)
    return PersonAuthor(handle=address, display_name=display_name)


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A message to be stored and whom to tell, in one transaction (R18)."""

    number: int
    author: str
    view: MessageView
    kind: Literal["mention", "task_request"]
    """The kind of the mailbox entries that tell of it."""
    mentioned: Mentioned
    held: bool = False
    """Whether nobody is told of it yet (R2)."""
    chain: Chain | None = None
    memory_keys: list[str] | None = None
    notice: str | None = None
    """What its author is told besides."""

    @property
    def told(self) -> list[str]:
        """The agents whose mailboxes get an entry; persons read the room."""
        return [] if self.held else [address for address in self.mentioned.notified if is_agent(address)]

    def row(self) -> dict[str, Any]:
        """The columns of `Message`, without a mapped object: storing is the hot path."""
        return dict(self.view) | {
            "number": self.number,
            "author": self.author,
            "author_name": self.view.author.display_name,
            "is_task_request": self.kind == "task_request",
            "held": self.held,
            "chain": self.chain,
            "memory_keys": self.memory_keys,
        }

    def answer(self) -> PostedMessage:
        return PostedMessage(
            message=self.view,
            notified=self.mentioned.notified,
            not_notified=self.mentioned.not_notified,
            notice=self.notice,
        )


def fitting(messages: Sequence[MessageView]) -> list[MessageView]:
    """As many of the first messages as fit into a page: one at least."""
    room = PAGE_BYTES
    for count, message in enumerate(messages):
        room -= len(message.model_dump_json().encode())
        if room < 0 and count:
            return list(messages[:count])
    return list(messages)
