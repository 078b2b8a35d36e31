"""People and agents that are removed for good: attempts end, tasks go back, requests are closed."""

from __future__ import annotations

import pytest

from libs.contracts.directory import AgentRemoved, PersonRemoved
from libs.contracts.errors import Conflict, StaleAttempt
from tests.tasks.asking import answer, ask, decide, want
from tests.tasks.desk import Desk
from tests.tasks.given import facts
from tests.tasks.runners import Runner, announce

SERVICES = ("tasks",)


async def remove_jonas(desk: Desk) -> None:
    await announce(desk, PersonRemoved(handle=desk.jonas, agents=[desk.claude, f"{desk.jonas}/other"]))


async def test_open_tasks_of_a_removed_person_go_back_to_their_requesters(desk: Desk) -> None:
    requested, held = await desk.hand_off(to=f"{desk.jonas}/other"), await desk.hand_off()
    await desk.take(held)
    before = len(await desk.entries(desk.codex))
    await remove_jonas(desk)
    for task in (requested, held):
        declined = await desk.whole(task.task_id)
        assert (declined.state, declined.attempt) == ("declined", None)
        assert "another agent" in (declined.note or "")
    told = [entry.body["task"]["task_id"] for entry in (await desk.entries(desk.codex))[before:]]
    assert sorted(told) == sorted([requested.task_id, held.task_id])


async def test_live_attempts_of_a_removed_person_end(desk: Desk) -> None:
    """R9."""
    attempt = await desk.take()
    runner = Runner(desk)
    claimed = await runner.claim()
    run = await runner.run()
    await remove_jonas(desk)
    with pytest.raises(StaleAttempt, match=desk.jonas):
        await desk.checkpoint(attempt)
    with pytest.raises(StaleAttempt):
        await desk.checkpoint(attempt, by=run, task_id=claimed.task_id, attempt_id=claimed.attempt_id)
    assert [event for event, _ in await desk.announced(claimed.task_id)][-1] == "attempt_ended"


async def test_a_task_that_awaits_the_removed_owner_goes_back_too_and_a_returned_one_stays(desk: Desk) -> None:
    """R2."""
    awaiting = await desk.hand_off(facts=facts(project_owner=desk.rosa, takes_tasks_from="owner"))
    returned = await desk.returned()
    await remove_jonas(desk)
    assert (await desk.whole(awaiting.task_id)).state == "declined"
    assert (await desk.whole(returned.task.task_id)).state == "returned"
    assert await desk.entries(desk.claude) != []


async def test_what_removed_agents_asked_is_closed(desk: Desk) -> None:
    question, wish = await ask(desk), await want(desk)
    await remove_jonas(desk)
    assert (await desk.inbox()).requests == (await desk.inbox(desk.jonas)).requests == []
    with pytest.raises(Conflict, match="closed"):
        await answer(desk, question)
    with pytest.raises(Conflict, match="closed"):
        await decide(desk, wish, "approve")


async def test_discussions_of_removed_agents_end(desk: Desk) -> None:
    """R14."""
    runner = Runner(desk)
    await runner.discuss()
    await remove_jonas(desk)
    assert (await runner.token("talk-1")).ended is not None


async def test_hearing_it_twice_changes_nothing(desk: Desk) -> None:
    """R42."""
    task = await desk.hand_off()
    await remove_jonas(desk)
    before = len(await desk.entries(desk.codex))
    await remove_jonas(desk)
    await announce(desk, AgentRemoved(agent_id=desk.claude))
    assert (await desk.whole(task.task_id)).state == "declined"
    assert len(await desk.entries(desk.codex)) == before
