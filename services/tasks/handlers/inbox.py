"""Showing tasks and what awaits a review."""

from __future__ import annotations

from libs.bus import Work, handles
from libs.contracts.caller import Caller
from libs.contracts.tasks import AwaitedReview, InboxPage, ReadInbox, WholeTask
from services.tasks import store
from services.tasks.domain.whole import ANSWER_BYTES, REVIEWS_BYTES, Room, Whole


@handles(ReadInbox)
async def read_inbox(query: ReadInbox, caller: Caller, work: Work) -> InboxPage:
    """One task whole, or a page of the caller's tasks with the newest results that await its review."""
    if query.task_id is not None:
        return await _one_task(query.task_id, caller, work)
    awaited = await _awaited_reviews(query, caller, work)
    reviews_room = Room(REVIEWS_BYTES)
    reviews = reviews_room.take(awaited)
    found = await store.tasks_of_inbox(work, query, caller)
    room = Room(ANSWER_BYTES - REVIEWS_BYTES + reviews_room.left)
    tasks = room.take([WholeTask(**dict(task.view(caller.subject))) for task in found[: query.limit]])
    omitted = {"reviews": len(awaited) - len(reviews)} if len(reviews) < len(awaited) else {}
    last = tasks[-1].task_id if len(tasks) < len(found) else None
    return InboxPage(tasks=tasks, reviews=reviews, last=last, omitted=omitted)


async def _awaited_reviews(query: ReadInbox, caller: Caller, work: Work) -> list[AwaitedReview]:
    return [
        AwaitedReview(task=task.view(caller.subject), result=result.view(caller.subject))
        for task, result in await store.awaited_reviews(work, query, caller)
    ]


async def _one_task(task_id: str, caller: Caller, work: Work) -> InboxPage:
    task = await store.find_task(work, task_id, caller)
    results, results_count = await store.results_of(work, task)
    checkpoints, checkpoints_count = await store.checkpoints_of(work, task)
    whole = Whole(
        task=task.view(caller.subject),
        packet=(await store.packet_of(work, task)).view(),
        results=[result.view(caller.subject) for result in results],
        checkpoints=[checkpoint.view() for checkpoint in checkpoints],
        results_count=results_count,
        checkpoints_count=checkpoints_count,
    )
    shown, omitted = whole.fit()
    return InboxPage(tasks=[shown], reviews=[], last=None, omitted=omitted)
