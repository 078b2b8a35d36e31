"""What runs answers."""

from __future__ import annotations

from libs.bus import Work, handles
from libs.contracts.caller import Caller
from libs.contracts.runs import (
    FindReports,
    KnownReports,
    ListRuns,
    ReportedRun,
    ReportRun,
    RunRecords,
    RunTotal,
    RunTotals,
    SumRuns,
)
from services.runs import store
from services.runs.domain import Report, check_reader, check_reporter


@handles(ReportRun)
async def report_run(command: ReportRun, caller: Caller, work: Work) -> ReportedRun:
    """Keep a run's first report; the same again is answered with it (R38)."""
    check_reporter(caller)
    report = Report.made(command, work.now)
    if await store.keep(work, report):
        return report.answer()
    first = await store.report_of_run(work, report.agent_id, report.run_id)
    first.require_same_body(report)
    return first.answer()


@handles(FindReports)
async def find_reports(query: FindReports, caller: Caller, work: Work) -> KnownReports:
    """What is reported of a task already, for who is about to report a run of it."""
    check_reporter(caller)
    return KnownReports(attempts=await store.attempts_of_others(work, query.task_id, query.run_id))


@handles(ListRuns)
async def list_runs(query: ListRuns, caller: Caller, work: Work) -> RunRecords:
    """The runs of the calling person's agents, newest first (R39)."""
    check_reader(caller, query)
    found = await store.page_of_reports(work, query, owner=caller.subject)
    page = found[: query.limit]
    more = len(found) > len(page)
    return RunRecords(runs=[report.record() for report in page], next=page[-1].report_id if more else None)


@handles(SumRuns)
async def sum_runs(query: SumRuns, caller: Caller, work: Work) -> RunTotals:
    """What the runs of the calling person's agents used together (R39)."""
    check_reader(caller, query)
    found = await store.totals(work, query, owner=caller.subject)
    shown = [RunTotal.model_validate({**row._mapping, "group": str(row.group)}) for row in found[: query.limit]]
    return RunTotals(totals=shown, more=len(found) > query.limit)
