"""What runs used, as their runners report it."""

from __future__ import annotations

from typing import Any

from libs.contracts.runs import FindReports, ReportRun
from libs.contracts.tasks import DescribeRun, EndRun, RunFacts
from services.gateway.session import Session
from services.gateway.tools.registry import tool


@tool
async def report_run(asked: ReportRun, session: Session) -> dict[str, Any]:
    """Find the attempt that the report belongs to, let runs keep it, and end the attempt if it still lives (R39)."""
    facts = await _facts(asked, session)
    reported = await session.ask(asked.model_copy(update={"facts": facts}))
    await session.ask(EndRun(task_id=asked.task_id, attempt_id=reported.attempt_id))
    if reported.late:
        session.meta["late"] = True
    return {"run": reported.run.wire()}


async def _facts(asked: ReportRun, session: Session) -> RunFacts:
    known = await session.ask(FindReports(task_id=asked.task_id, run_id=asked.run_id))
    query = DescribeRun(
        project=asked.project,
        task_id=asked.task_id,
        run_id=asked.run_id,
        reported_attempts=known.attempts,
        device=await session.device_facts(),
    )
    return await session.ask(query)
