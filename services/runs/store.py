"""Every query of runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Row, and_, case, func, or_
from sqlalchemy import select as select_columns
from sqlmodel import col, select

from libs.bus import Work
from libs.contracts.errors import BadCursor, NotFound
from libs.contracts.runs import GroupBy, ListRuns, OwnRuns, SumRuns
from libs.storage import insert_into
from services.runs.domain import Report

SUMMED = {
    "input_tokens": col(Report.input_tokens),
    "output_tokens": col(Report.output_tokens),
    "turns": col(Report.turns),
    "duration_ms": col(Report.duration_ms),
}
UNKNOWN = or_(*(number.is_(None) for number in (*SUMMED.values(), col(Report.exit_code))))
NEWEST_DAY, NEWEST_REPORT = col(Report.day).desc(), func.max(col(Report.reported_at)).desc()
GROUPS: dict[GroupBy, tuple[Any, Any]] = {
    "day": (col(Report.day), NEWEST_DAY),
    "task": (col(Report.task_id), NEWEST_REPORT),
    "agent": (col(Report.agent_id), col(Report.agent_id)),
    "outcome": (col(Report.outcome), col(Report.outcome)),
}
"""What totals are made for, and in which order."""


async def keep(work: Work, report: Report) -> bool:
    """Store a report, unless its run or its attempt has one; whether it was stored."""
    insert = insert_into(work.session, Report).values(report.model_dump()).on_conflict_do_nothing()
    return bool((await work.session.exec(insert)).rowcount)


async def report_of_run(work: Work, agent_id: str, run_id: str) -> Report:
    """The report of an agent's run; `NotFound` where it is another run's report that took the attempt (R39)."""
    found = select(Report).where(Report.agent_id == agent_id, Report.run_id == run_id)
    report = (await work.session.exec(found)).one_or_none()
    if report is None:
        raise NotFound("Report a run once: no attempt of yours at this task lacks a report.", field="task_id")
    return report


async def attempts_of_others(work: Work, task_id: str, run_id: str) -> list[str]:
    """The attempts of a task that have the report of another run."""
    others = select(Report.attempt_id).where(Report.task_id == task_id, Report.run_id != run_id)
    return list((await work.session.exec(others)).all())


async def page_of_reports(work: Work, query: ListRuns, owner: str) -> Sequence[Report]:
    """A page of an owner's reports, newest first, and one more when there is one."""
    reports = select(Report).where(*_among(query, owner))
    if query.after is not None:
        reports = reports.where(await _older_than(work, query.after, owner))
    newest_first = reports.order_by(col(Report.reported_at).desc(), col(Report.report_id).desc())
    return (await work.session.exec(newest_first.limit(query.limit + 1))).all()


async def _older_than(work: Work, report_id: str, owner: str) -> ColumnElement[bool]:
    last = await work.session.get(Report, report_id)
    if last is None or last.owner != owner:
        raise BadCursor("Leave `after` out to start with the newest runs.", field="after")
    same_time = and_(col(Report.reported_at) == last.reported_at, col(Report.report_id) < report_id)
    return or_(col(Report.reported_at) < last.reported_at, same_time)


async def totals(work: Work, query: SumRuns, owner: str) -> Sequence[Row[Any]]:
    """What an owner's runs used, by group, and one group more when there is one."""
    group, order = GROUPS[query.by]
    sums = [func.sum(number).label(name) for name, number in SUMMED.items()]
    counts = [func.count().label("runs"), _count(UNKNOWN).label("unknown"), _count(col(Report.late)).label("late")]
    summed = select_columns(group.label("group"), *counts, *sums).where(*_among(query, owner))
    return (await work.session.execute(summed.group_by(group).order_by(order, group).limit(query.limit + 1))).all()


def _count(condition: Any) -> ColumnElement[int]:
    return func.sum(case((condition, 1), else_=0))


def _among(query: OwnRuns, owner: str) -> list[ColumnElement[bool]]:
    """The conditions that a question puts on an owner's reports."""
    given = {Report.agent_id: query.agent_id, Report.task_id: query.task_id, Report.project: query.project}
    wanted = [col(field) == value for field, value in given.items() if value is not None]
    if query.since is not None:
        wanted.append(col(Report.reported_at) >= query.since)
    if query.until is not None:
        wanted.append(col(Report.reported_at) < query.until)
    return [col(Report.owner) == owner, *wanted]
