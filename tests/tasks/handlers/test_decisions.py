"""Allowing and refusing tasks from outside (R2)."""

from __future__ import annotations

import asyncio

import pytest

from libs.contracts.errors import Conflict, Forbidden, NotFound
from libs.contracts.tasks import AcceptTask, AllowTask, CancelTask, RefuseTask, Task
from tests.tasks.desk import Desk
from tests.tasks.given import facts
from tests.tasks.runners import Runner

SERVICES = ("tasks",)


async def held(desk: Desk) -> Task:
    """A task of codex for claude, who takes tasks from jonas only."""
    task = await desk.hand_off(facts=facts(project_owner=desk.rosa, takes_tasks_from="owner"))
    assert task.state == "awaiting_owner"
    return task


def allow(task: Task) -> AllowTask:
    return AllowTask(task_id=task.task_id)


def refuse(task: Task) -> RefuseTask:
    return RefuseTask(task_id=task.task_id, reason="Not on my machine.")


async def test_a_held_task_is_told_to_nobody_but_rooms_which_holds_its_task_request(desk: Desk) -> None:
    runner = Runner(desk)
    await runner.announce()
    task = await held(desk)
    assert await desk.kinds(desk.claude) == await desk.kinds(desk.codex) == await runner.kinds() == []
    [(event, body)] = await desk.announced(task.task_id)
    assert (event, body["held"]) == ("task_requested", True)


async def test_the_owner_finds_it_with_its_whole_packet(desk: Desk) -> None:
    task = await held(desk)
    assert [one.task_id for one in (await desk.inbox(by=desk.jonas, role="owner")).tasks] == [task.task_id]
    packet = (await desk.whole(task.task_id, by=desk.jonas)).packet
    assert packet is not None
    assert (packet.objective, packet.acceptance) == ("It loses input.", ["The form keeps its input."])


async def test_it_can_be_neither_taken_nor_declined_before_its_owner_has_decided(desk: Desk) -> None:
    task = await held(desk)
    for command in (AcceptTask(task_id=task.task_id), AcceptTask(task_id=task.task_id, decline_reason="No.")):
        with pytest.raises(Conflict, match="awaiting_owner"):
            await desk.hub.ask(command, desk.claude)


async def test_when_the_owner_allows_it_the_assignee_its_devices_rooms_and_the_requester_learn_it(desk: Desk) -> None:
    runner = Runner(desk)
    await runner.announce()
    task = await held(desk)
    allowed = (await desk.hub.ask(allow(task), desk.jonas)).task
    assert allowed.state == "requested"
    for recipient in (desk.claude, runner.device_id):
        [entry] = await desk.entries(recipient)
        assert (entry.kind, entry.body["task"]["task_id"]) == ("task_requested", task.task_id)
    [told] = await desk.entries(desk.codex)
    assert (told.kind, told.body["task"]["state"]) == ("task_updated", "requested")
    (_, requested), (event, body) = await desk.announced(task.task_id)
    assert event == "task_allowed"
    assert body == {name: value for name, value in requested.items() if name != "held"}
    assert (await desk.take(task)).agent_id == desk.claude


async def test_when_the_owner_refuses_it_it_is_declined_and_the_requester_told_why(desk: Desk) -> None:
    task = await held(desk)
    refused = (await desk.hub.ask(refuse(task), desk.jonas)).task
    assert (refused.state, refused.note) == ("declined", "Not on my machine.")
    [told] = await desk.entries(desk.codex)
    assert (told.kind, told.body["task"]["note"]) == ("task_updated", "Not on my machine.")
    assert await desk.kinds(desk.claude) == []
    assert [event for event, _ in await desk.announced(task.task_id)] == ["task_requested"]


async def test_nobody_but_the_assignees_owner_decides(desk: Desk) -> None:
    task = await held(desk)
    for other in (desk.claude, desk.codex, desk.maya, desk.rosa, f"{desk.jonas}/other"):
        for command in (allow(task), refuse(task)):
            with pytest.raises(Forbidden, match=desk.jonas):
                await desk.hub.ask(command, other)
    with pytest.raises(NotFound):
        await desk.hub.ask(allow(task), desk.stranger)
    assert (await desk.whole(task.task_id)).state == "awaiting_owner"


async def test_a_decision_that_is_repeated_changes_nothing_and_another_is_refused(desk: Desk) -> None:
    for winner, loser in ((allow, refuse), (refuse, allow)):
        task = await held(desk)
        first = await desk.hub.ask(winner(task), desk.jonas)
        assert await desk.hub.ask(winner(task), desk.jonas) == first
        with pytest.raises(Conflict, match=first.task.state):
            await desk.hub.ask(loser(task), desk.jonas)
        assert (await desk.whole(task.task_id)).state == first.task.state
    assert await desk.kinds(desk.claude) == ["task_requested"]
    assert await desk.kinds(desk.codex) == ["task_updated"] * 2


async def test_of_two_decisions_at_once_one_wins(desk: Desk) -> None:
    for _ in range(20):
        task = await held(desk)
        decisions = (desk.hub.ask(allow(task), desk.jonas), desk.hub.ask(refuse(task), desk.jonas))
        answers = await asyncio.gather(*decisions, return_exceptions=True)
        assert len([answer for answer in answers if isinstance(answer, Conflict)]) == 1


async def test_allowing_a_task_that_was_asked_for_already_tells_nobody_again(desk: Desk) -> None:
    """Its agent took tasks from the team when it was handed off, and no longer does."""
    task = await desk.hand_off()
    assert (await desk.hub.ask(allow(task), desk.jonas)).task.state == "requested"
    assert await desk.kinds(desk.claude) == ["task_requested"]
    assert await desk.kinds(desk.codex) == []
    with pytest.raises(Conflict):
        await desk.hub.ask(refuse(task), desk.jonas)


async def test_an_assignee_hears_nothing_of_a_task_that_is_cancelled_before_its_owner_decided(desk: Desk) -> None:
    task = await held(desk)
    await desk.hub.ask(CancelTask(task_id=task.task_id, reason="Not needed."), desk.codex)
    assert await desk.kinds(desk.claude) == []
    with pytest.raises(Conflict, match="cancelled"):
        await desk.hub.ask(allow(task), desk.jonas)
