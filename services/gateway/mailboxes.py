"""What a wait reads: a recipient's mailboxes in the services, merged in the order of time (R20, R26)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from libs.contracts.mailbox import Entry, MailboxPage, ReadPulseMailbox, ReadRoomsMailbox, ReadTasksMailbox
from libs.contracts.types import is_agent
from services.gateway.cursors import Binding, Positions

RESULT_BYTES = 62 * 1024
AROUND_AN_ENTRY = 128
"""What its kind, project and time take at most, beside its body."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a wait is for."""

    tool: str
    recipient: str
    limit: int
    room_kinds: tuple[str, ...]
    task_kinds: tuple[str, ...] = ()
    """None of them: the tasks mailbox is not read."""
    pulse_kinds: tuple[str, ...] = ()
    """None of them: the pulse mailbox is not read."""
    project: str | None = None
    filter: str = ""
    """Empty when nothing is filtered; else what makes the filter another one."""
    scope: str = ""
    """What a credential narrows the wait to: it keeps a position of its own there (R21)."""
    task_id: str | None = None
    """The one task of a run, which moves no position."""

    @property
    def services(self) -> tuple[str, ...]:
        """Whose mailboxes it reads."""
        return ("rooms", *(service for service, kinds in self._kinds.items() if kinds and service != "rooms"))

    @property
    def _kinds(self) -> dict[str, tuple[str, ...]]:
        return {"rooms": self.room_kinds, "tasks": self.task_kinds, "pulse": self.pulse_kinds}

    @property
    def takes_riders(self) -> bool:
        """Whether entries can be told apart here; what a run or a device sees, its services alone can say."""
        return self.task_id is None and is_agent(self.recipient)

    def concerns(self, service: str, entry: Entry) -> bool:
        """Whether an entry of a service is wanted."""
        return entry.kind in self._kinds[service] and self.project in (None, entry.project)

    @property
    def binding(self) -> Binding:
        """What its cursors belong to."""
        return Binding(self._position, self.recipient, self.filter)

    @property
    def _position(self) -> str:
        return f"{self.tool}@{self.scope}" if self.scope else self.tool

    def rooms_query(self, after: Positions | None, acknowledged: bool) -> ReadRoomsMailbox:
        """The question to rooms."""
        return ReadRoomsMailbox(
            after=after.rooms if after else None,
            rejoins=after.rejoins if after else None,
            kinds=list(self.room_kinds),
            **self._common(acknowledged),
        )

    def tasks_query(self, after: Positions | None, acknowledged: bool, projects: list[str]) -> ReadTasksMailbox:
        """The question to tasks, which does not know who is in which project."""
        return ReadTasksMailbox(
            after=after.tasks if after else None,
            kinds=list(self.task_kinds),
            projects=projects,
            **self._common(acknowledged),
        )

    def pulse_query(self, after: Positions | None, acknowledged: bool, projects: list[str]) -> ReadPulseMailbox:
        """The question to pulse, which does not know either."""
        return ReadPulseMailbox(
            after=after.pulse if after else None,
            kinds=list(self.pulse_kinds),
            projects=projects,
            **self._common(acknowledged),
        )

    def _common(self, acknowledged: bool) -> dict[str, Any]:
        return {
            "recipient": self.recipient,
            "tool": self._position,
            "project": self.project,
            "task_id": self.task_id,
            "limit": self.limit,
            "acknowledged": acknowledged and not self.filter and self.task_id is None,
        }


@dataclass(frozen=True, slots=True)
class Reading:
    """What one look at the mailboxes brought."""

    entries: Sequence[Entry]
    positions: Positions
    resync: bool
    scanned: dict[str, int]
    """Per service the number up to which there is nothing else to wake for."""


def merge(pages: dict[str, MailboxPage], limit: int) -> Reading:
    """The oldest entries of all pages, in the order of each, as many as fit; positions stop at what is left out."""
    taken: dict[str, int] = dict.fromkeys(pages, 0)
    entries: list[Entry] = []
    room = RESULT_BYTES
    while len(entries) < limit and (service := _next(pages, taken)):
        entry = pages[service].entries[taken[service]]
        room -= len(orjson.dumps(entry.body)) + AROUND_AN_ENTRY
        if room < 0 and entries:
            break
        entries.append(entry)
        taken[service] += 1
    reached = {service: _reached(page, taken[service]) for service, page in pages.items()}
    resync = any(page.resync for page in pages.values())
    return Reading(entries, Positions(**reached, rejoins=pages["rooms"].rejoins), resync, reached)


def ride(wanted: Wanted, after: Positions, brought: dict[str, list[Entry]]) -> Reading:
    """What entries that rode along with their wake-ups bring: all there is after the positions."""
    return merge({service: _ridden(service, wanted, after, brought) for service in wanted.services}, wanted.limit)


def _ridden(service: str, wanted: Wanted, after: Positions, brought: dict[str, list[Entry]]) -> MailboxPage:
    start, entries = getattr(after, service), brought.get(service, [])
    position = entries[-1].number if entries else start
    concerning = [entry for entry in entries if wanted.concerns(service, entry)]
    return MailboxPage(entries=concerning, start=start, position=position, rejoins=after.rejoins)


def _next(pages: dict[str, MailboxPage], taken: dict[str, int]) -> str | None:
    left = {service: page.entries[taken[service]].at for service, page in pages.items() if _has(page, taken[service])}
    return min(left, key=left.__getitem__) if left else None


def _has(page: MailboxPage, taken: int) -> bool:
    return taken < len(page.entries)


def _reached(page: MailboxPage, taken: int) -> int:
    if not _has(page, taken):
        return page.position
    return page.entries[taken - 1].number if taken else page.start
