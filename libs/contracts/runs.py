"""Runs: what they used, as their runner reported it; kept for good and read by the agent's owner alone (R38, R39)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from libs.contracts.base import Command, Data, Query, View, internal
from libs.contracts.tasks.claims import RunFacts
from libs.contracts.types import AgentAddress, Id, Slug, Time

Count = Annotated[int, Field(ge=0, le=2147483647)]
GroupBy = Literal["day", "agent", "task", "outcome"]


class RunReport(View):
    """A report as the reference gives it."""

    run_id: str
    project: Slug
    task_id: Id
    input_tokens: Count | None
    output_tokens: Count | None
    turns: Count | None
    duration_ms: Count | None
    exit_code: Annotated[int, Field(ge=0, le=255)] | None
    source: Literal["client_reported"] = "client_reported"
    reported_at: Time


class ReportedRun(View):
    """The output of report_run."""

    run: RunReport
    late: bool = False
    """No part of the tool's output: shown in its `_meta` and to the owner."""


class ReportRun(Command[ReportedRun], service="runs"):
    """Keep a run's report; the same again answers the same record, another body for the run is `Conflict`."""

    project: Slug
    run_id: str
    task_id: Id
    input_tokens: Count | None
    output_tokens: Count | None
    turns: Count | None
    duration_ms: Count | None
    exit_code: Annotated[int, Field(ge=0, le=255)] | None
    facts: RunFacts | None = internal(default=None)


class KnownReports(View):
    """What is reported of a task already."""

    attempts: list[Id]
    """The attempts that have a report with another run id."""
    attempt_id: Id | None
    """The attempt that this run's report belongs to, when it was reported before."""
    agent_id: AgentAddress | None


class FindReports(Query[KnownReports], service="runs"):
    """What the gateway must know before it asks tasks which attempt a report belongs to."""

    task_id: Id
    run_id: str


class RunRecord(RunReport):
    """A report as the agent's owner reads it."""

    agent_id: AgentAddress
    attempt_id: Id
    late: bool


class RunRecords(View):
    """Records, newest first."""

    runs: list[RunRecord]
    next: str | None
    """What the next page starts after."""


class ListRuns(Query[RunRecords], service="runs"):
    """The runs of the calling person's agents."""

    agent_id: AgentAddress | None = None
    task_id: Id | None = None
    project: Slug | None = None
    since: Time | None = None
    until: Time | None = None
    after: str | None = None
    limit: int = Field(default=100, ge=1, le=1000)


class RunTotal(Data):
    """What some runs used together; a sum leaves out the runs whose number is unknown and counts them."""

    group: str
    runs: int
    input_tokens: int
    output_tokens: int
    turns: int
    duration_ms: int
    unknown: int
    """Runs of which at least one number is unknown."""


class RunTotals(View):
    totals: list[RunTotal]


class SumRuns(Query[RunTotals], service="runs"):
    """Totals of the calling person's agents by day (UTC), agent, task or outcome (`ok`, `failed`, `unknown`)."""

    by: GroupBy
    agent_id: AgentAddress | None = None
    project: Slug | None = None
    since: Time | None = None
    until: Time | None = None
