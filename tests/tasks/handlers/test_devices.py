"""What devices are told of tasks, and what happens when they or their agents go (R8, R12, R19)."""

from __future__ import annotations

import asyncio

import pytest

from libs.contracts.directory import AgentRemoved
from libs.contracts.errors import StaleAttempt
from libs.contracts.tasks import CancelTask, RejectResult
from tests.tasks.desk import Desk
from tests.tasks.runners import Runner, announce

SERVICES = ("tasks",)


async def linked(desk: Desk, **links: list[str]) -> Runner:
    """A device that tasks has heard of."""
    runner = Runner(desk, **links)  # type: ignore[arg-type]
    await runner.announce()
    return runner


async def test_devices_linked_to_the_assignee_and_the_project_are_told_of_a_task(desk: Desk) -> None:
    told = [await linked(desk), await linked(desk, agents=[f"{desk.jonas}/other", desk.claude])]
    others = [await linked(desk, agents=[f"{desk.jonas}/other"]), await linked(desk, projects=["elsewhere"])]
    task = await desk.hand_off()
    for runner in told:
        [entry] = await runner.entries()
        assert (entry.kind, entry.project) == ("task_requested", "website")
        assert entry.body == {"task": task.wire(), "agent_id": desk.claude}
    assert [await runner.entries() for runner in others] == [[], []]


async def test_an_agent_that_is_linked_later_brings_its_open_tasks_along(desk: Desk) -> None:
    """R19."""
    requested, taken = await desk.hand_off(), await desk.hand_off()
    await desk.take(taken)
    runner = await linked(desk)
    assert [entry.body["task"]["task_id"] for entry in await runner.entries()] == [requested.task_id]


async def test_a_project_that_is_linked_later_brings_its_open_tasks_along_and_nothing_twice(desk: Desk) -> None:
    """R19."""
    here, there = await desk.hand_off(), await desk.hand_off(project="other")
    runner = await linked(desk)
    runner.projects = ["website", "other"]
    await runner.announce()
    assert [entry.body["task"]["task_id"] for entry in await runner.entries()] == [here.task_id, there.task_id]


async def test_an_agent_that_is_unlinked_brings_no_more_tasks(desk: Desk) -> None:
    runner = await linked(desk)
    runner.agents = []
    await runner.announce()
    await desk.hand_off()
    assert await runner.entries() == []


async def test_old_news_of_a_device_changes_nothing(desk: Desk) -> None:
    """R42."""
    runner = await linked(desk)
    runner.agents = []
    await runner.announce(version=5)
    runner.agents = [desk.claude]
    await runner.announce(version=4)
    await desk.hand_off()
    assert await runner.entries() == []


async def test_a_task_is_told_again_whenever_it_is_requested_again(desk: Desk) -> None:
    """R4, R6."""
    runner = await linked(desk)
    task = await desk.hand_off()
    await runner.claim(task)
    await desk.let_lapse()
    await desk.finish(await desk.take(task))
    await desk.hub.ask(RejectResult(task_id=task.task_id, reason="Once more."), desk.codex)
    assert await runner.kinds() == ["task_requested"] * 3


async def test_a_cancelled_run_is_told_to_its_agent_and_to_the_device_that_claimed_it(desk: Desk) -> None:
    """R8."""
    runner, other = await linked(desk), await linked(desk)
    task = await desk.hand_off()
    await runner.claim(task)
    await desk.hub.ask(CancelTask(task_id=task.task_id, reason="Not needed."), desk.maya)
    assert (await desk.kinds(desk.claude))[-1] == "cancel_requested"
    entry = (await runner.entries())[-1]
    assert (entry.kind, entry.body["agent_id"]) == ("cancel_requested", desk.claude)
    assert (entry.body["task"]["state"], entry.body["task"]["note"]) == ("cancelled", "Not needed.")
    assert await other.kinds() == ["task_requested"]


async def test_no_device_ever_sees_an_attempts_id(desk: Desk) -> None:
    runner = await linked(desk)
    claimed = await runner.claim()
    await desk.hub.ask(CancelTask(task_id=claimed.task_id, reason="Not needed."), desk.maya)
    assert claimed.attempt_id not in str(await runner.entries())


async def test_linking_and_handing_off_at_once_never_miss_a_task(desk: Desk) -> None:
    """R19."""
    runner = Runner(desk)
    handoffs = asyncio.gather(*(desk.hand_off() for _ in range(5)))
    tasks, _ = await asyncio.gather(handoffs, runner.announce())
    assert {entry.body["task"]["task_id"] for entry in await runner.entries()} == {task.task_id for task in tasks}


async def test_a_device_that_is_removed_loses_its_runs_and_their_tasks_are_requested_again(desk: Desk) -> None:
    runner = await linked(desk)
    task = await desk.hand_off()
    await runner.claim(task)
    run = await runner.run()
    await runner.announce(removed=True)
    assert (await desk.whole(task.task_id)).state == "requested"
    assert (await desk.kinds(desk.claude))[-1] == "task_requested"
    with pytest.raises(StaleAttempt, match=f"{desk.jonas} took its device away"):
        await desk.checkpoint(await desk.take(task), by=run, attempt_id=None)
    await desk.hand_off()
    assert await runner.kinds() == ["task_requested"]


async def test_the_work_of_a_removed_agent_is_cancelled_and_its_requesters_are_told(desk: Desk) -> None:
    runner = Runner(desk)
    requested, running, returned = await desk.hand_off(), await desk.hand_off(), await desk.returned()
    await runner.claim(running)
    await announce(desk, AgentRemoved(agent_id=desk.claude))
    for task in (requested, running):
        whole = await desk.whole(task.task_id)
        assert (whole.state, whole.note) == ("cancelled", "Its agent was removed.")
    assert (await desk.whole(returned.task.task_id)).state == "returned"
    told = [entry.body["task"] for entry in (await desk.entries(desk.codex))[-2:]]
    assert {(task["task_id"], task["state"]) for task in told} == {
        (requested.task_id, "cancelled"),
        (running.task_id, "cancelled"),
    }
    assert await runner.kinds() == ["cancel_requested"]
    assert f"{desk.jonas} cancelled" in ((await runner.token()).ended or "")
