"""Reports of runs, who may make them and who may read them (R38, R39)."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Literal

from sqlalchemy import Index, MetaData, String, UniqueConstraint
from sqlmodel import Field, SQLModel

from libs.contracts import runs as views
from libs.contracts.caller import Caller
from libs.contracts.errors import Conflict, Forbidden, InvalidInput, NotFound
from libs.contracts.types import owner_of
from libs.storage import UtcDateTime, new_id

Outcome = Literal["ok", "failed", "unknown"]
REPORTERS = frozenset({"device", "tasks", "client"})


class RunsTable(SQLModel):
    """What runs keeps."""

    metadata = MetaData()


class Report(RunsTable, table=True):
    """What one run used; null where nobody knows. It is never changed: the first report stands."""

    __tablename__ = "reports"
    __table_args__ = (
        UniqueConstraint("agent_id", "run_id"),
        Index("reports_of_owner", "owner", "reported_at", "report_id"),
    )

    report_id: str = Field(default_factory=lambda: new_id("run"), primary_key=True)
    owner: str
    agent_id: str
    run_id: str
    attempt_id: str = Field(unique=True)
    task_id: str = Field(index=True)
    project: str
    input_tokens: int | None
    output_tokens: int | None
    turns: int | None
    duration_ms: int | None
    exit_code: int | None
    outcome: Outcome = Field(sa_type=String)
    late: bool
    day: date
    """The day of `reported_at` in UTC."""
    reported_at: datetime = Field(sa_type=UtcDateTime)

    @staticmethod
    def made(command: views.ReportRun, now: datetime) -> Report:
        """The report of a run whose attempt tasks found."""
        facts = command.facts
        if facts is None:
            raise InvalidInput("Report a run through the gateway, which finds its attempt.", field="facts")
        return Report(
            **command.model_dump(exclude={"facts"}),
            **facts.model_dump(include={"owner", "agent_id", "attempt_id", "late"}),
            outcome=outcome_of(command.exit_code),
            day=now.astimezone(UTC).date(),
            reported_at=now,
        )

    def require_same_body(self, other: Report) -> None:
        """Refuse another report of this run: the first stands (R38)."""
        said = views.ReportRun.model_fields.keys() - {"facts"}
        if self.model_dump(include=said) != other.model_dump(include=said):
            raise Conflict("Give each run an id of its own: this one was reported with another body, which stands.")

    def answer(self) -> views.ReportedRun:
        """What its reporter reads."""
        run = views.RunReport.model_validate(self.model_dump())
        return views.ReportedRun(run=run, attempt_id=self.attempt_id, late=self.late)

    def record(self) -> views.RunRecord:
        """What the agent's owner reads."""
        return views.RunRecord.model_validate(self.model_dump())


def outcome_of(exit_code: int | None) -> Outcome:
    """How a run ended, as far as its exit code tells."""
    if exit_code is None:
        return "unknown"
    return "ok" if exit_code == 0 else "failed"


def check_reporter(caller: Caller) -> None:
    """Refuse whoever may not report runs, such as the run itself (R38)."""
    if caller.kind not in REPORTERS:
        raise Forbidden("Leave this to the runner: only its keys and an agent's client key report runs.")


def check_reader(caller: Caller, asked: views.OwnRuns) -> None:
    """Refuse everybody but persons, and persons where they ask for the runs of others' agents (R39)."""
    if caller.kind != "person":
        raise Forbidden("Ask the agent's owner, who alone reads what its runs used.")
    if asked.agent_id is not None and owner_of(asked.agent_id) != caller.subject:
        raise NotFound("Name one of your own agents.", field="agent_id")
