"""What runs used, for the owners of their agents alone."""

from __future__ import annotations

from libs.contracts.runs import ListRuns, RunRecords, RunTotals, SumRuns
from services.gateway.people.endpoint import endpoint
from services.gateway.session import Session


@endpoint("GET", "/runs", ListRuns)
async def list_runs(query: ListRuns, session: Session) -> RunRecords:
    """The runs of the caller's agents, newest first; null stands for a number that nobody knows."""
    return await session.ask(query)


@endpoint("GET", "/runs/totals", SumRuns)
async def sum_runs(query: SumRuns, session: Session) -> RunTotals:
    """What the runs of the caller's agents used together, by day (UTC), agent, task or outcome."""
    return await session.ask(query)
