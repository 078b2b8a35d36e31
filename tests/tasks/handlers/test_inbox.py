"""The inbox over the bus: who sees what, page by page and within its size (R1)."""

from __future__ import annotations

import pytest

from libs.contracts.errors import BadCursor, NotFound
from libs.contracts.tasks import AcceptTask, CancelTask, InboxPage
from services.tasks.domain.inputs import size
from tests.tasks.desk import Desk
from tests.tasks.given import proof

SERVICES = ("tasks",)
SHOWN_BYTES = 64 * 1024


def ids(page: InboxPage) -> list[str]:
    return [task.task_id for task in page.tasks]


async def handed(desk: Desk, count: int) -> list[str]:
    """New tasks, newest first; all but the last two of one instant."""
    made = [(await desk.hand_off()).task_id for _ in range(count - 2)]
    for _ in range(2):
        desk.hub.clock.advance(1)
        made.append((await desk.hand_off()).task_id)
    return made[::-1]


async def noted(desk: Desk, count: int) -> list[str]:
    """New tasks that show as 6 KiB each, oldest first."""
    tasks = [(await desk.hand_off()).task_id for _ in range(count)]
    for task_id in tasks:
        await desk.hub.ask(AcceptTask(task_id=task_id, note="€" * 2000), desk.claude)
    return tasks


async def test_both_sides_find_the_task_in_their_role_and_strangers_find_nothing(desk: Desk) -> None:
    task = await desk.hand_off()
    found = {
        (by, role): ids(await desk.inbox(by, role=role)) == [task.task_id]
        for by in (desk.codex, desk.claude, desk.maya, f"{desk.jonas}/other", desk.stranger)
        for role in (None, "assignee", "requester", "owner")
    }
    assert {key for key, shown in found.items() if shown} == {
        (desk.codex, None),
        (desk.codex, "requester"),
        (desk.codex, "owner"),
        (desk.claude, None),
        (desk.claude, "assignee"),
        (desk.claude, "owner"),
        (desk.maya, "owner"),
        (f"{desk.jonas}/other", "owner"),
    }


async def test_pages_follow_each_other_newest_first_without_gap_or_repeat(desk: Desk) -> None:
    tasks = await handed(desk, 5)
    first = await desk.inbox(limit=2)
    second = await desk.inbox(limit=2, after=first.last)
    third = await desk.inbox(limit=2, after=second.last)
    assert ids(first) + ids(second) + ids(third) == tasks
    assert third.last is None


async def test_a_last_page_that_is_exactly_full_is_the_last(desk: Desk) -> None:
    tasks = await handed(desk, 4)
    first = await desk.inbox(limit=2)
    second = await desk.inbox(limit=2, after=first.last)
    assert ids(second) == tasks[2:]
    assert second.last is None
    assert (await desk.inbox(limit=4)).last is None
    assert (await desk.inbox(limit=3)).last == tasks[2]


async def test_a_new_task_between_two_pages_shifts_nothing(desk: Desk) -> None:
    tasks = await handed(desk, 3)
    first = await desk.inbox(limit=2)
    await desk.hand_off()
    assert ids(await desk.inbox(limit=2, after=first.last)) == tasks[2:]


async def test_a_position_that_is_no_task_is_refused(desk: Desk) -> None:
    with pytest.raises(BadCursor):
        await desk.inbox(after="task_unknown")


async def test_final_tasks_are_shown_only_when_asked_for(desk: Desk) -> None:
    open_task, ended = await desk.hand_off(), await desk.hand_off()
    await desk.hub.ask(CancelTask(task_id=ended.task_id, reason="Not needed."), desk.codex)
    assert ids(await desk.inbox()) == [open_task.task_id]
    assert ids(await desk.inbox(states=["cancelled"])) == [ended.task_id]
    assert ids(await desk.inbox(states=["working"])) == []


async def test_a_project_shows_its_own_tasks_and_reviews_alone(desk: Desk) -> None:
    returned = await desk.returned()
    elsewhere = await desk.hand_off(project="intranet")
    here = await desk.inbox(project="website")
    assert (ids(here), len(here.reviews)) == ([returned.task.task_id], 1)
    there = await desk.inbox(project="intranet")
    assert (ids(there), there.reviews) == ([elsewhere.task_id], [])


@pytest.mark.parametrize("side", ["codex", "maya", "rosa"])
async def test_results_await_the_review_of_those_who_may_give_it(desk: Desk, side: str) -> None:
    """R16."""
    returned = await desk.returned()
    [review] = (await desk.inbox(getattr(desk, side))).reviews
    assert (review.task.task_id, review.result.result_id) == (returned.task.task_id, returned.result.result_id)
    for other in (desk.claude, desk.jonas, f"{desk.maya}/other", f"{desk.rosa}/bot"):
        assert (await desk.inbox(other)).reviews == []


async def test_at_most_the_newest_twenty_results_await_a_review(desk: Desk) -> None:
    newest = ""
    for _ in range(21):
        desk.hub.clock.advance(1)
        newest = (await desk.returned()).result.result_id
    reviews = (await desk.inbox()).reviews
    assert len(reviews) == 20
    assert reviews[0].result.result_id == newest


async def test_pages_end_early_to_stay_within_their_size(desk: Desk) -> None:
    tasks = await noted(desk, 12)
    seen, after = [], None
    while True:
        page = await desk.inbox(limit=50, after=after)
        assert size(page) <= SHOWN_BYTES
        seen += ids(page)
        if page.last is None:
            break
        after = page.last
    assert seen == tasks[::-1]
    assert len(page.tasks) < 12


async def test_reviews_that_do_not_fit_are_counted(desk: Desk) -> None:
    for _ in range(6):
        await desk.finish(await desk.take(), summary="s" * 8000, evidence=[proof(note="n" * 500)])
    tasks = await noted(desk, 12)
    page = await desk.inbox(limit=50)
    assert size(page) <= SHOWN_BYTES
    assert 0 < len(page.tasks) < len(tasks)
    assert len(page.reviews) == 3
    assert page.omitted == {"reviews": 3}


@pytest.mark.parametrize("side", ["codex", "claude", "maya", "jonas", "rosa"])
async def test_who_sees_a_task_sees_it_whole(desk: Desk, side: str) -> None:
    """R1."""
    attempt = await desk.take()
    await desk.checkpoint(attempt)
    await desk.finish(attempt)
    task = await desk.whole(attempt.task_id, by=getattr(desk, side))
    assert task.packet is not None
    assert task.packet.objective == "It loses input."
    assert (len(task.results or ()), len(task.checkpoints or ())) == (1, 1)


async def test_a_task_of_others_is_not_found(desk: Desk) -> None:
    """R1."""
    task = await desk.hand_off()
    for unseen in (desk.stranger, f"{desk.rosa}/bot", "operator"):
        with pytest.raises(NotFound):
            await desk.whole(task.task_id, by=unseen)


async def test_a_task_with_much_history_is_shown_within_the_size_and_the_rest_counted(desk: Desk) -> None:
    attempt = await desk.take()
    for number in range(60):
        await desk.checkpoint(attempt, summary=f"{number} " + "s" * 1990)
    page = await desk.inbox(task_id=attempt.task_id)
    assert size(page) <= SHOWN_BYTES
    shown = page.tasks[0].checkpoints
    assert shown is not None
    assert shown[0].summary.startswith("59 ")
    assert page.omitted == {"checkpoints": 60 - len(shown)}
