"""What agents and their runners say, what is known of agents, and the availability that follows (R28, R31)."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from sqlalchemy import MetaData, String
from sqlmodel import Field, SQLModel

from libs.contracts.caller import Caller
from libs.contracts.errors import Forbidden, InvalidInput
from libs.contracts.policy import Policy
from libs.contracts.pulse import FailureClass, FailureStep, Pulse, RunFailure, UpdatePulse
from libs.contracts.tasks import AttemptEnded, AttemptStarted
from libs.contracts.types import Availability, owner_of
from libs.storage import JsonValue, UtcDateTime

SAYABLE = frozenset({"availability", "doing", "task_id", "branch", "files", "last_decision"})
OF_DEVICES = frozenset({"agent_id", "run_failure"})
"""What only a device may say."""
SAYABLE_BY_DEVICES = OF_DEVICES | {"project", "availability", "task_id", "idempotency_key"}

STEPS: dict[FailureClass, tuple[FailureStep, ...]] = {
    "auth": ("claude_code_sign_in", "codex_sign_in", "grok_sign_in"),
    "rate_limit": ("claude_code_usage_limit", "codex_usage_limit"),
    "timeout": ("task_time_limit", "reply_time_limit"),
    "provider": ("claude_code_service", "codex_service", "grok_service"),
    "runtime": (
        "claude_code_not_found",
        "codex_not_found",
        "cli_not_found",
        "cli_did_not_start",
        "cli_crashed",
        "worktree_failed",
        "cross_owner_off",
        "room_not_linked",
        "cli_replies_only",
        "cli_tasks_unverified",
        "entry_changed",
        "git_too_old",
        "app_build_unchecked",
    ),
    "agent": ("claude_code_max_turns", "stopped_extra_tools", "agent_error"),
    "other": ("see_runner_log",),
}
CLASSES: dict[FailureStep, FailureClass] = {step: kind for kind, steps in STEPS.items() for step in steps}
"""The one class of each step (R31)."""


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
            run_failure=self._failure(),
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


def whose_pulse(command: UpdatePulse, caller: Caller) -> str:
    """The agent that an update is about: the caller, or the linked agent that a device names.

    Refuses who has no pulse to update, and what the caller may not say of it.
    """
    if caller.kind == "device":
        _refuse(command, UpdatePulse.model_fields.keys() - SAYABLE_BY_DEVICES, "it is for the agent itself to say")
        if command.agent_id is None:
            raise InvalidInput("Name the linked agent that this is about.", field="agent_id")
        _check_class(command.run_failure)
        return command.agent_id
    if not caller.acts_as_agent:
        raise Forbidden("Call this with an agent's or a device's key; only agents have a pulse.")
    _refuse(command, OF_DEVICES, "it is for runner devices")
    return caller.subject


def _refuse(command: UpdatePulse, fields: Set[str], why: str) -> None:
    said = min(command.model_fields_set & fields, default=None)
    if said is not None:
        raise InvalidInput(f"Leave out {said}: {why}.", field=said)


def _check_class(failure: RunFailure | None) -> None:
    """Refuse a class that is not the step's (R31)."""
    if failure is not None and failure.failure_class != CLASSES[failure.step]:
        raise InvalidInput(f"Give this step with its class, {CLASSES[failure.step]}.", field="run_failure.class")


def is_sign_of_life(command: UpdatePulse, caller: Caller) -> bool:
    """Whether an update shows that the agent lives: its own call does, a device's only where it says so (R28)."""
    return caller.kind != "device" or command.availability not in (None, "offline")
