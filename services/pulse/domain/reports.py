"""What agents and their runners say (R28, R31)."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import String
from sqlmodel import Field

from libs.contracts.pulse import FailureStep, Intent, Pulse, RunFailure, UpdatePulse
from libs.contracts.types import owner_of
from libs.storage import JsonValue, UtcDateTime
from services.pulse.domain.failures import CLASSES
from services.pulse.domain.signs import Signs
from services.pulse.domain.table import PulseTable

SAYABLE = frozenset({"availability", "doing", "task_id", "branch", "files", "last_decision"})


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
    failed_step: FailureStep | None = Field(default=None, sa_type=String)
    """What its last run failed at, as its device said."""
    failed_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    reported_at: datetime | None = Field(default=None, sa_type=UtcDateTime)

    def take(self, command: UpdatePulse, now: datetime) -> None:
        """Take over what was said: fields left out stay, null clears."""
        for name in command.model_fields_set & SAYABLE:
            setattr(self, name, getattr(command, name))
        if "run_failure" in command.model_fields_set:
            failure = command.run_failure
            self.failed_step, self.failed_at = (failure.step, now) if failure else (None, None)
        self.doing = self.doing or ""
        self.files = self.files or []
        self.reported_at = now

    def take_back_availability(self) -> None:
        """What was said of availability stands until the agent takes a task (R28)."""
        self.availability = None

    def run_started(self, at: datetime) -> None:
        """A run that starts ends the failure of a former one; not its own, of which pulse may hear before (R31)."""
        if self.failed_at is not None and self.failed_at <= at:
            self.failed_step = self.failed_at = None

    def _failure(self) -> RunFailure | None:
        step = self.failed_step
        return RunFailure(failure_class=CLASSES[step], step=step) if step else None

    def view(self, signs: Signs, joined_at: datetime, intent: Intent | None) -> Pulse:
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
            run_failure=self._failure(),
            intent=intent,
        )
