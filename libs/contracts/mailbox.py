"""Mailboxes: what each recipient should see, numbered per service without gaps (R19)."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from libs.contracts.base import Query, View
from libs.contracts.types import Time


class Entry(View):
    """One thing that a recipient should see."""

    number: int
    kind: str
    project: str | None
    at: Time
    body: dict[str, Any]


class MailboxPage(View):
    """Entries after a position, oldest first."""

    entries: list[Entry]
    start: int
    """The number that reading started after."""
    position: int
    """The last number this page accounts for, entries that the filter skipped included."""
    more: bool = False
    """Whether matching entries remain after `position`."""
    resync: bool = False
    """Whether entries after the asked position are no longer kept (R26)."""
    projects: list[str] = Field(default_factory=list)
    """Rooms only: the projects the recipient is in."""
    rejoins: int = 0
    """Rooms only: how often the recipient was added to a project again (R26)."""


class ReadMailbox(Query[MailboxPage]):
    """Read a recipient's entries after `after`, or after its remembered position (R21)."""

    recipient: str
    tool: str
    after: int | None = None
    acknowledged: bool = False
    """Whether `after` is a cursor passed without filters, to be remembered."""
    rejoins: int | None = None
    """Rooms only: the number of rejoins that the passed cursor knows."""
    kinds: list[str] | None = None
    project: str | None = None
    task_id: str | None = None
    """Only what concerns this task: all that a run sees."""
    projects: list[str] | None = None
    """The projects the recipient is in; entries of others are skipped. None: no such check."""
    limit: int = 20


class ReadRoomsMailbox(ReadMailbox, service="rooms"):
    """The rooms part of a mailbox."""


class ReadTasksMailbox(ReadMailbox, service="tasks"):
    """The tasks part of a mailbox."""


class ReadPulseMailbox(ReadMailbox, service="pulse"):
    """The pulse part of a mailbox."""
