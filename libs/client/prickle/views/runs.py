"""What runs used, as the HTTP API answers it."""

from __future__ import annotations

from typing import Literal, TypedDict


class RunRecord(TypedDict):
    """What a run used; None stands for a number that nobody knows."""

    run_id: str
    agent_id: str
    attempt_id: str
    task_id: str
    project: str
    input_tokens: int | None
    output_tokens: int | None
    turns: int | None
    duration_ms: int | None
    exit_code: int | None
    late: bool
    source: Literal["client_reported"]
    reported_at: str


class RunPage(TypedDict):
    """Runs, newest first."""

    runs: list[RunRecord]
    next: str | None


class RunTotal(TypedDict):
    """What some runs used together; a sum is None when no run's number is known."""

    group: str
    runs: int
    input_tokens: int | None
    output_tokens: int | None
    turns: int | None
    duration_ms: int | None
    unknown: int
    late: int


class RunTotals(TypedDict):
    """Totals by group."""

    totals: list[RunTotal]
    more: bool
