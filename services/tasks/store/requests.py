"""Requests; the row of a task locks those that belong to it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import ColumnElement, and_, or_
from sqlmodel import col, select
from sqlmodel.sql.expression import SelectOfScalar

from libs.bus import Work
from libs.contracts.caller import Caller
from libs.contracts.errors import BadCursor, NotFound
from libs.contracts.tasks import ListRequests, RequestStatus
from services.tasks.domain import Attempt, Request, Task
from services.tasks.store.tasks import lock_any_task

DECIDED: tuple[RequestStatus, ...] = ("answered", "approved", "denied", "done")
NEWEST_OF_A_TASK = 50


async def add_request(work: Work, request: Request) -> None:
    """Store what an agent asked."""
    work.session.add(request)
    await work.session.flush()


async def lock_request(work: Work, request_id: str, caller: Caller) -> tuple[Request, Task | None]:
    """A request that the caller sees and its task, unchanged by others until the transaction ends."""
    request = await work.session.get(Request, request_id)
    task = await lock_any_task(work, request.task_id) if request is not None and request.task_id else None
    if request is None or not _sees(request, task, caller):
        raise NotFound("Name a request that awaits you; your inbox lists them.", field="request_id")
    query = select(Request).where(Request.request_id == request_id).with_for_update()
    return (await work.session.exec(query.execution_options(populate_existing=True))).one(), task


def _sees(request: Request, task: Task | None, caller: Caller) -> bool:
    """The agent that asked, who answers, their owners, and whoever sees the task."""
    if caller.project not in (None, request.project):
        return False
    own = caller.subject == request.asked_by or caller.person in (request.awaits, request.awaits_owner)
    return own or (task is not None and task.seen_by(caller))


async def is_awaiting(work: Work, task: Task) -> bool:
    """Whether a locked task waits for an answer that has not come (R7)."""
    query = select(Request.request_id).where(Request.task_id == task.task_id, Request.status == "pending")
    return (await work.session.exec(query.where(col(Request.blocks)).limit(1))).first() is not None


async def close_requests(work: Work, *tasks: Task) -> None:
    """Let nobody answer what was asked while working on locked tasks: they have ended (R7)."""
    await _close(work, col(Request.task_id).in_([task.task_id for task in tasks]))


async def close_requests_of(work: Work, agents: Collection[str]) -> None:
    """Let nobody answer what agents asked that are removed."""
    await _close(work, col(Request.asked_by).in_(agents))


async def _close(work: Work, which: ColumnElement[bool]) -> None:
    query = select(Request).where(which, Request.status == "pending").order_by(Request.request_id).with_for_update()
    for request in await work.session.exec(query.execution_options(populate_existing=True)):
        request.close()


async def decisions_for(work: Work, task: Task, attempt: Attempt) -> Sequence[Request]:
    """What the holder of a task is told of: decisions that it has not heard of, and its capabilities."""
    untold = or_(col(Request.told_in).is_(None), col(Request.told_in) != attempt.attempt_id)
    stands = or_(col(Request.expires_at).is_(None), col(Request.expires_at) > work.now)
    news = and_(col(Request.task_id) == task.task_id, col(Request.status).in_(DECIDED), untold, stands)
    capabilities = and_(col(Request.project) == task.project, *_approved(work, [attempt.agent_id]))
    query = select(Request).where(or_(news, capabilities)).order_by(col(Request.at).desc())
    return (await work.session.exec(query.limit(NEWEST_OF_A_TASK))).all()


async def approved_capabilities(work: Work, agents: Collection[str]) -> Sequence[Request]:
    """The approved capabilities of agents that have not ended, in the order in which they end."""
    query = select(Request).where(*_approved(work, agents)).order_by(col(Request.expires_at), Request.request_id)
    return (await work.session.exec(query)).all()


def _approved(work: Work, agents: Collection[str]) -> list[ColumnElement[bool]]:
    return [
        col(Request.asked_by).in_(agents),
        col(Request.kind) == "capability",
        col(Request.status) == "approved",
        col(Request.expires_at) > work.now,
    ]


async def requests_of(work: Work, task: Task) -> Sequence[Request]:
    """What was asked while working on a task, newest first."""
    return (await work.session.exec(_newest(Request.task_id == task.task_id).limit(NEWEST_OF_A_TASK))).all()


async def requests_awaiting(work: Work, query: ListRequests, caller: Caller) -> Sequence[Request]:
    """A page of what the caller is to answer, newest first, and one more when there is one."""
    answers = Request.awaits if caller.acts_as_agent else Request.awaits_owner
    statuses = query.statuses or ["pending"]
    requests = _newest(col(answers) == caller.subject, col(Request.status).in_(statuses))
    project = caller.project or query.project
    if project is not None:
        requests = requests.where(Request.project == project)
    if query.after is not None:
        requests = requests.where(await _older_than(work, query.after))
    return (await work.session.exec(requests.limit(query.limit + 1))).all()


def _newest(*conditions: ColumnElement[bool] | bool) -> SelectOfScalar[Request]:
    return select(Request).where(*conditions).order_by(col(Request.at).desc(), col(Request.request_id).desc())


async def _older_than(work: Work, request_id: str) -> ColumnElement[bool]:
    last = await work.session.get(Request, request_id)
    if last is None:
        raise BadCursor("Leave the cursor out to start with the newest requests.", field="cursor")
    same_time = and_(col(Request.at) == last.at, col(Request.request_id) < last.request_id)
    return or_(col(Request.at) < last.at, same_time)
