"""Agents on the board of their team (R32, R33)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Field

from libs.contracts.policy import Policy
from libs.contracts.pulse import BoardRow, MemoryAgents
from libs.storage import JsonValue, UtcDateTime
from services.pulse.domain.parks import Park
from services.pulse.domain.signs import Hold
from services.pulse.domain.table import PulseTable


class Board(PulseTable, table=True):
    """The board of a team: locked while something changes on it."""

    __tablename__ = "boards"

    team: str = Field(primary_key=True)
    last_number: int = 0
    """The last fence or place in a queue that was given out: they rise and are never used twice (R36)."""

    def next_number(self) -> int:
        """A new fence, or a new place at the end of a queue."""
        self.last_number += 1
        return self.last_number


class Row(PulseTable, table=True):
    """What an agent wrote on the board; empty when it never did."""

    __tablename__ = "rows"

    agent_id: str = Field(primary_key=True)
    team: str = Field(index=True)
    name: str = ""
    status: str = ""
    task: str = ""
    project: str = ""
    children: list[str] = Field(default_factory=list, sa_type=JsonValue)
    expected_end: datetime | None = Field(default=None, sa_type=UtcDateTime)
    updated_at: datetime | None = Field(default=None, sa_type=UtcDateTime)

    def take(self, command: MemoryAgents, now: datetime) -> None:
        """Take over what was said: fields left out stay (R34)."""
        for field in ("name", "status", "task", "project", "children"):
            said = getattr(command, field)
            if said is not None:
                setattr(self, field, said)
        if command.expect is not None:
            self.expected_end = now + timedelta(seconds=command.expect)
        self.updated_at = now


@dataclass(frozen=True)
class Peer:
    """All that is known of an agent for the board."""

    row: Row
    display_name: str
    park: Park | None
    runs: Sequence[Hold]
    seen_at: datetime | None

    @property
    def active_at(self) -> datetime | None:
        """When it last called the hub or wrote on the board."""
        return max((at for at in (self.seen_at, self.row.updated_at) if at), default=None)

    def is_active(self, now: datetime, policy: Policy) -> bool:
        """Whether it is listed: it did something within the hour, or runs."""
        at = self.active_at
        return bool(self.runs) or (at is not None and _ago(at, now) < policy.board_idle_seconds)

    def is_attached(self, now: datetime, policy: Policy) -> bool:
        """Whether it listens: an open wait counts as a call each few seconds."""
        return self.seen_at is not None and _ago(self.seen_at, now) <= policy.online_within_seconds

    def relevance(self, project: str | None, task: str | None) -> int:
        """How much of what a list asks for is this agent's, too."""
        wanted = [(project, self.row.project), (task, self.row.task)]
        return sum(bool(asked) and asked == said for asked, said in wanted)

    def view(self, projects: Collection[str], now: datetime, policy: Policy) -> BoardRow:
        """As an agent with these projects sees it."""
        row = self.row
        return BoardRow(
            agent_id=row.agent_id,
            name=row.name or self.display_name,
            status=row.status,
            task=row.task,
            project=row.project,
            children=row.children,
            runs=[run.as_run(projects) for run in self.runs],
            expected_end=row.expected_end,
            overdue=row.expected_end is not None and row.expected_end <= now,
            park=self.park.view(now) if self.park else None,
            attached=self.is_attached(now, policy),
            active_at=self.active_at,
        )


def _ago(at: datetime, now: datetime) -> float:
    return (now - at).total_seconds()
