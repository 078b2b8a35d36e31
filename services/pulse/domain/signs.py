"""What is known of agents, and the availability that follows (R28)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from sqlmodel import Field

from libs.contracts.policy import Policy
from libs.contracts.pulse import LiveRun
from libs.contracts.tasks import AttemptEnded, AttemptStarted
from libs.contracts.types import Availability
from libs.storage import UtcDateTime
from services.pulse.domain.table import PulseTable


class Sighting(PulseTable, table=True):
    """When an agent last called the hub, whatever the project."""

    __tablename__ = "sightings"

    agent_id: str = Field(primary_key=True)
    seen_at: datetime = Field(sa_type=UtcDateTime)


class Hold(PulseTable, table=True):
    """The newest that was heard of a task: which attempt, and whether it is live."""

    __tablename__ = "holds"

    task_id: str = Field(primary_key=True)
    attempt_id: str
    agent_id: str = Field(index=True)
    project: str
    version: int
    live: bool
    is_run: bool = False
    started_at: datetime | None = Field(default=None, sa_type=UtcDateTime)

    @staticmethod
    def heard(event: AttemptStarted | AttemptEnded, now: datetime) -> Hold:
        """What an event tells of its task."""
        known = event.model_dump(include={"task_id", "attempt_id", "agent_id", "project", "version"})
        if isinstance(event, AttemptEnded):
            return Hold(**known, live=False)
        return Hold(**known, live=True, is_run=event.kind == "run", started_at=event.started_at or now)

    def as_run(self, projects: Collection[str]) -> LiveRun:
        """A run as an agent with these projects sees it on the board (R1, R32)."""
        seen = self.project in projects
        shown = {"project": self.project, "task_id": self.task_id} if seen else {}
        return LiveRun(**shown, started_at=self.started_at)

    def outdates(self, former: Hold | None) -> bool:
        """Whether this is news: events come twice and out of order, and the highest version holds (R42)."""
        return former is None or former.version < self.version

    def is_of_another_attempt_than(self, former: Hold | None) -> bool:
        """Whether the agent took the task since `former` was heard, be it that the attempt has ended already."""
        return former is None or former.attempt_id != self.attempt_id


@dataclass(frozen=True)
class Signs:
    """What tells whether an agent can be reached in a project."""

    silent_seconds: float | None
    """Since its last call; None when it was never seen."""
    holds_task: bool
    policy: Policy

    def availability(self, said: str | None) -> Availability:
        """The first that holds, given what the agent said (R28)."""
        silent = self.silent_seconds
        if silent is None or silent >= self.policy.offline_after_seconds or said == "offline":
            return "offline"
        if said in ("away", "asleep"):
            return cast(Availability, said)
        if self.holds_task or said == "working":
            return "working"
        return "online" if silent <= self.policy.online_within_seconds else "idle"
