"""Attempts: one agent's hold on a task, and how it ended."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import Index, String, text
from sqlmodel import Field

from libs.contracts import tasks as views
from libs.contracts.errors import StaleAttempt
from libs.contracts.policy import Policy
from libs.storage import UtcDateTime, new_id
from services.tasks.domain.table import TasksTable

Ending = Literal["lapsed", "returned", "cancelled"]
LIVE = text("ended_at IS NULL")


class Attempt(TasksTable, table=True):
    """One agent's hold on a task; its id is the fencing token, and a task has at most one live (R3)."""

    __tablename__ = "attempts"
    __table_args__ = (
        Index("one_live_attempt", "task_id", unique=True, sqlite_where=LIVE, postgresql_where=LIVE),
        Index("live_deadlines", "deadline", sqlite_where=LIVE, postgresql_where=LIVE),
    )

    attempt_id: str = Field(default_factory=lambda: new_id("att"), primary_key=True)
    task_id: str = Field(foreign_key="tasks.task_id", index=True)
    agent_id: str
    kind: Literal["interactive", "run"] = Field(default="interactive", sa_type=String)
    started_at: datetime = Field(sa_type=UtcDateTime)
    deadline: datetime = Field(sa_type=UtcDateTime)
    ended_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    ending: Ending | None = Field(default=None, sa_type=String)
    ended_by: str | None = None

    def renew(self, now: datetime, policy: Policy) -> None:
        """Put the deadline off: a call named this attempt before anyone marked it lapsed (R4)."""
        self.deadline = now + timedelta(seconds=policy.attempt_deadline_seconds)

    def end(self, ending: Ending, by: str | None, now: datetime) -> None:
        """Let nothing more happen under this attempt."""
        self.ending, self.ended_by, self.ended_at = ending, by, now

    def require_live(self) -> None:
        """Refuse a call under an ended attempt, saying what happened to it (R8, R9)."""
        if self.ending == "lapsed":
            raise StaleAttempt(
                "This attempt lapsed because no call renewed it in time; "
                "call accept_task to take the task again if it is still requested."
            )
        if self.ending == "returned":
            raise StaleAttempt("This attempt ended with its result; call check_inbox to see what became of the task.")
        if self.ending == "cancelled":
            raise StaleAttempt(f"This attempt ended when {self.ended_by} cancelled the task; stop working on it.")

    def view(self) -> views.Attempt:
        """The attempt as its holder sees it."""
        return views.Attempt(
            attempt_id=self.attempt_id,
            task_id=self.task_id,
            kind=self.kind,
            agent_id=self.agent_id,
            claimed_at=self.started_at,
            deadline=self.deadline,
        )

    def live_view(self, viewer: str) -> views.LiveAttempt:
        """The attempt as part of its task: only the holder sees the id."""
        return views.LiveAttempt(
            attempt_id=self.attempt_id if viewer == self.agent_id else None,
            kind=self.kind,
            started_at=self.started_at,
            deadline=self.deadline,
        )
