"""What agents say of themselves, what is known of them, and the availability that follows (R28)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import cast

from sqlalchemy import MetaData
from sqlmodel import Field, SQLModel

from libs.contracts.caller import Caller
from libs.contracts.errors import Forbidden
from libs.contracts.policy import Policy
from libs.contracts.pulse import Pulse, UpdatePulse
from libs.contracts.tasks import AttemptEnded, AttemptStarted
from libs.contracts.types import Availability, owner_of
from libs.storage import JsonValue, UtcDateTime

SAYABLE = frozenset({"availability", "doing", "task_id", "branch", "files", "last_decision"})


class PulseTable(SQLModel):
    """What pulse keeps."""

    metadata = MetaData()


class Report(PulseTable, table=True):
    """What an agent last said in a project; empty when it never said anything."""

    __tablename__ = "reports"

    agent_id: str = Field(primary_key=True)
    project: str = Field(primary_key=True)
    availability: str | None = None
    doing: str = ""
    task_id: str | None = None
    branch: str | None = None
    files: list[str] = Field(default_factory=list, sa_type=JsonValue)
    last_decision: str | None = None
    reported_at: datetime | None = Field(default=None, sa_type=UtcDateTime)

    def take(self, command: UpdatePulse, now: datetime) -> None:
        """Take over what was said: fields left out stay, null clears."""
        for name in command.model_fields_set & SAYABLE:
            setattr(self, name, getattr(command, name))
        self.doing = self.doing or ""
        self.files = self.files or []
        self.reported_at = now

    def take_back_availability(self) -> None:
        """What was said of availability stands until the agent takes a task (R28)."""
        self.availability = None

    def view(self, signs: Signs, joined_at: datetime) -> Pulse:
        """The pulse as the others see it; an agent that never reported shows when it joined."""
        return Pulse(
            agent_id=self.agent_id,
            owner=owner_of(self.agent_id),
            project=self.project,
            availability=signs.availability(self.availability),
            doing=self.doing,
            task_id=self.task_id,
            branch=self.branch,
            files=self.files,
            last_decision=self.last_decision,
            updated_at=self.reported_at or joined_at,
        )


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

    @staticmethod
    def heard(event: AttemptStarted | AttemptEnded) -> Hold:
        """What an event tells of its task."""
        known = event.model_dump(include={"task_id", "attempt_id", "agent_id", "project", "version"})
        return Hold(**known, live=isinstance(event, AttemptStarted))

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


def check_agent(caller: Caller) -> None:
    """Refuse who has no pulse."""
    if not caller.acts_as_agent:
        raise Forbidden("Call this with an agent's key; only agents have a pulse.")
