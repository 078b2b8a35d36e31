"""Showing tasks and what awaits a review or an answer."""

from __future__ import annotations

from libs.bus import Work, handles
from libs.contracts.caller import Caller, Run
from libs.contracts.errors import NotFound
from libs.contracts.tasks import AwaitedReview, InboxPage, ListRequests, ReadInbox, Request, WholeTask
from services.tasks.domain import Task
from services.tasks.domain.inputs import size
from services.tasks.domain.whole import ANSWER_BYTES, REQUESTS_BYTES, REVIEWS_BYTES, Room, Whole
from services.tasks.store.attempts import cause_of
from services.tasks.store.inbox import awaited_reviews, checkpoints_of, results_of, tasks_of_inbox
from services.tasks.store.requests import requests_awaiting, requests_of
from services.tasks.store.tasks import find_task, packet_of

NEWEST_REQUESTS = 20


@handles(ReadInbox)
async def read_inbox(query: ReadInbox, caller: Caller, work: Work) -> InboxPage:
    """One task whole, a run's own always, or a page of the caller's tasks with what awaits its word."""
    task_id = query.task_id if caller.run is None else _own_task(query, caller.run)
    if task_id is not None:
        return await _show_whole(await find_task(work, task_id, caller), caller, work)
    awaited = await _awaited_reviews(query, caller, work)
    asked = await _awaited_requests(query, caller, work)
    reviews, requests = Room(REVIEWS_BYTES).take(awaited), Room(REQUESTS_BYTES).take(asked)
    found = await tasks_of_inbox(work, query, caller)
    room = Room(ANSWER_BYTES - sum(size(shown) + 1 for shown in (*reviews, *requests)))
    tasks = room.take([WholeTask(**dict(task.view(caller.subject))) for task in found[: query.limit]])
    counts = {"reviews": len(awaited) - len(reviews), "requests": len(asked) - len(requests)}
    omitted = {name: count for name, count in counts.items() if count}
    last = tasks[-1].task_id if len(tasks) < len(found) else None
    return InboxPage(tasks=tasks, reviews=reviews, requests=requests, last=last, omitted=omitted)


def _own_task(query: ReadInbox, run: Run) -> str:
    """A run reads its own task and no other."""
    if run.task_id is None or query.task_id not in (None, run.task_id):
        raise NotFound("Leave task_id out: a run reads its own task only.", field="task_id")
    return run.task_id


async def _awaited_reviews(query: ReadInbox, caller: Caller, work: Work) -> list[AwaitedReview]:
    return [
        AwaitedReview(task=task.view(caller.subject), result=result.view(caller.subject))
        for task, result in await awaited_reviews(work, query, caller)
    ]


async def _awaited_requests(query: ReadInbox, caller: Caller, work: Work) -> list[Request]:
    asked = ListRequests(project=query.project, limit=NEWEST_REQUESTS)
    return [request.view() for request in (await requests_awaiting(work, asked, caller))[:NEWEST_REQUESTS]]


async def _show_whole(task: Task, caller: Caller, work: Work) -> InboxPage:
    results, results_count = await results_of(work, task)
    checkpoints, checkpoints_count = await checkpoints_of(work, task)
    whole = Whole(
        task=task.view(caller.subject),
        packet=(await packet_of(work, task)).view(),
        results=[result.view(caller.subject) for result in results],
        checkpoints=[checkpoint.view() for checkpoint in checkpoints],
        results_count=results_count,
        checkpoints_count=checkpoints_count,
        requests=[request.view() for request in await requests_of(work, task)],
        cause=await cause_of(work, task),
    )
    shown, omitted = whole.fit()
    return InboxPage(tasks=[shown], reviews=[], last=None, omitted=omitted)
