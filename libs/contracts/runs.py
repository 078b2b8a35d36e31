"""Runs: what they used, as their runner reported it; kept for good and read by the agent's owner alone (R38, R39)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from libs.contracts.base import Command, Data, Query, View, absent, internal
from libs.contracts.tasks.claims import RunFacts
from libs.contracts.types import AgentAddress, Id, Slug, Time

RunId = Annotated[str, StringConstraints(to_lower=True, max_length=36)]
"""A UUID, compared without case: always in lower case here (R38)."""
Count = Annotated[int, Field(ge=0, le=2147483647)]
ExitCode = Annotated[int, Field(ge=0, le=255)]
GroupBy = Literal["day", "agent", "task", "outcome"]


class RunReport(View):
    """A report as the reference gives it; null stands for a number that nobody knows."""

    run_id: RunId
    project: Slug
    task_id: Id
    input_tokens: Count | None
    output_tokens: Count | None
    turns: Count | None
    duration_ms: Count | None
    exit_code: ExitCode | None
    source: Literal["client_reported"] = "client_reported"
    reported_at: Time
    """When it was first reported."""


class ReportedRun(View):
    """A kept report; only `run` is part of the tool's output."""

    run: RunReport
    attempt_id: Id
    """The attempt that it belongs to: over, now that it is reported."""
    late: bool
    """Whether the attempt had lapsed before: for the tool's `_meta` and the owner."""


class ReportRun(Command[ReportedRun], service="runs"):
    """Keep a run's report; the same again answers the same record, another body for the run is `Conflict`.

    `NotFound` where the attempt has the report of another run.
    """

    project: Slug
    run_id: RunId
    task_id: Id
    input_tokens: Count | None
    output_tokens: Count | None
    turns: Count | None
    duration_ms: Count | None
    exit_code: ExitCode | None
    facts: RunFacts | None = internal(default=None)


class KnownReports(View):
    """What is reported of a task already."""

    attempts: list[Id]
    """The attempts that have a report with another run id."""


class FindReports(Query[KnownReports], service="runs"):
    """What the gateway must know before it asks tasks which attempt a report belongs to."""

    task_id: Id
    run_id: RunId


class RunRecord(RunReport):
    """A report as the agent's owner reads it."""

    agent_id: AgentAddress
    attempt_id: Id
    late: bool
    """Whether the attempt had lapsed before the report came."""


class RunRecords(View):
    """Records, newest first."""

    runs: list[RunRecord]
    next: Id | None
    """Pass it as `after` for the next page; null when nothing is left."""


class OwnRuns(Data):
    """Which of the calling person's runs are meant: all of them, but for what is given here."""

    agent_id: AgentAddress | None = absent("Only this agent's.")
    task_id: Id | None = absent("Only those of this task.")
    project: Slug | None = absent("Only those of this project.")
    since: Time | None = absent("Only those reported at this time or later.")
    until: Time | None = absent("Only those reported before this time.")


class ListRuns(OwnRuns, Query[RunRecords], service="runs"):
    """The runs of the calling person's agents, newest first."""

    after: Id | None = absent("The `next` of the former page.")
    limit: int = Field(default=100, ge=1, le=1000, description="Runs per page.")


class RunTotal(View):
    """What some runs used together.

    A sum leaves out the runs whose number is unknown; it is null when that is all of them, never 0.
    """

    group: str
    """The day in UTC, the agent's address, the task's id, or `ok`, `failed`, `unknown`."""
    runs: int
    input_tokens: int | None
    output_tokens: int | None
    turns: int | None
    duration_ms: int | None
    unknown: int
    """Runs of which at least one of these numbers or the exit code is unknown."""
    late: int
    """Runs whose report came after their attempt had lapsed."""


class RunTotals(View):
    """Totals by group: days and tasks newest first, agents and outcomes by name."""

    totals: list[RunTotal]
    more: bool
    """Whether there are more groups: narrow the question down."""


class SumRuns(OwnRuns, Query[RunTotals], service="runs"):
    """Totals of the calling person's agents by day (UTC), agent, task or outcome."""

    by: GroupBy = Field(description="What a total is made for.")
    limit: int = Field(default=1000, ge=1, le=1000, description="Totals at most.")
