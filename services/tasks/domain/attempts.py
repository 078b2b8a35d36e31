"""Attempts: one agent's hold on a task, and how it ended."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import Index, String, UniqueConstraint, text
from sqlmodel import Field

from libs.contracts import tasks as views
from libs.contracts.errors import StaleAttempt
from libs.contracts.policy import Policy
from libs.storage import UtcDateTime, new_id
from services.tasks.domain.table import TasksTable

Ending = Literal["lapsed", "returned", "cancelled", "reported", "revoked"]
LIVE = text("ended_at IS NULL")
RENEWALS = 10
"""How often at most a run's calls renew it within one heartbeat deadline (R3)."""
ENDINGS: dict[str, str] = {
    "lapsed": "This attempt lapsed because no call renewed it in time; "
    "call accept_task to take the task again if it is still requested.",
    "returned": "This attempt ended with its result; call check_inbox to see what became of the task.",
    "cancelled": "This attempt ended when {by} cancelled the task; stop working on it.",
    "reported": "This attempt ended when its run was reported; stop working on it.",
}
RUN_ENDINGS: dict[str, str] = {
    **ENDINGS,
    "lapsed": "This run lapsed: no call renewed it in time, or its launch timeout passed; stop working on its task.",
    "returned": "This run ended with its result; stop, there is nothing left to do.",
    "revoked": "This run ended when {by} took its device away; stop working on its task.",
}


class Attempt(TasksTable, table=True):
    """One agent's hold on a task; its id is the fencing token, and a task has at most one live (R3).

    A run's was claimed by a device: it has a credential of its own and a launch timeout.
    """

    __tablename__ = "attempts"
    __table_args__ = (
        Index("one_live_attempt", "task_id", unique=True, sqlite_where=LIVE, postgresql_where=LIVE),
        Index("live_deadlines", "deadline", sqlite_where=LIVE, postgresql_where=LIVE),
        Index("live_runs", "device_id", sqlite_where=LIVE, postgresql_where=LIVE),
        UniqueConstraint("device_id", "idempotency_key"),
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
    device_id: str | None = None
    """The device that claimed the run."""
    idempotency_key: str | None = None
    """Under it the device may repeat its claim (R10)."""
    token_sha256: str | None = Field(default=None, unique=True)
    expires_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """A run's launch timeout: nothing renews past it (R3)."""
    cause: str | None = None
    """The Task request that caused the run (R11)."""

    def renew(self, now: datetime, policy: Policy) -> None:
        """Put the deadline off: a call named this attempt before anyone marked it lapsed (R4)."""
        deadline = now + timedelta(seconds=policy.attempt_deadline_seconds)
        self.deadline = deadline if self.expires_at is None else min(deadline, self.expires_at)

    def deadline_of(self, waits: bool) -> datetime | None:
        """When it lapses: while its task waits only at a run's launch timeout (R3)."""
        return self.expires_at if waits else self.deadline

    def wants_renewal(self, now: datetime, policy: Policy) -> bool:
        """Whether a call that names no attempt should renew it: once per tenth of the heartbeat deadline (R3)."""
        spared = timedelta(seconds=policy.attempt_deadline_seconds * (RENEWALS - 1) / RENEWALS)
        return self.why_ended(now) is None and self.deadline <= now + spared and self.deadline != self.expires_at

    def show_life(self, now: datetime, policy: Policy) -> bool:
        """Renew it if such a call should; whether it did."""
        renewed = self.wants_renewal(now, policy)
        if renewed:
            self.renew(now, policy)
        return renewed

    def end(self, ending: Ending, by: str | None, now: datetime) -> None:
        """Let nothing more happen under this attempt."""
        self.ending, self.ended_by, self.ended_at = ending, by, now

    def why_ended(self, now: datetime) -> str | None:
        """What calls under it are refused with; None while it is live (R8, R9)."""
        ending = "lapsed" if self.ending is None and self._is_timed_out(now) else self.ending
        if ending is None:
            return None
        return (RUN_ENDINGS if self.kind == "run" else ENDINGS)[ending].format(by=self.ended_by)

    def require_live(self, now: datetime) -> None:
        """Refuse a call under an ended attempt, saying what happened to it (R8, R9)."""
        why = self.why_ended(now)
        if why is not None:
            raise StaleAttempt(why)

    def _is_timed_out(self, now: datetime) -> bool:
        return self.expires_at is not None and self.expires_at <= now

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

    def live_view(self, viewer: str, *, waits: bool) -> views.LiveAttempt:
        """The attempt as part of its task: only the holder sees the id."""
        return views.LiveAttempt(
            attempt_id=self.attempt_id if viewer == self.agent_id else None,
            kind=self.kind,
            started_at=self.started_at,
            deadline=self.deadline_of(waits),
        )
