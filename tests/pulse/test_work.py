"""Who takes a task is working; events of tasks may come twice and out of order (R28, R42)."""

from __future__ import annotations

from itertools import permutations

import pytest

from libs.contracts.tasks import AttemptEnded, AttemptStarted
from tests.harness import Hub
from tests.pulse.given import availability, call, ended, fresh_agent, happen, pulse_of, say, started

SERVICES = ("pulse",)


async def test_who_holds_a_task_is_working_until_it_ends(hub: Hub) -> None:
    agent = fresh_agent()
    await call(hub, agent)
    await happen(hub, started(agent, 2))
    assert await availability(hub, agent) == "working"
    await happen(hub, ended(agent, 3))
    assert await availability(hub, agent) == "online"


async def test_a_report_is_answered_as_the_others_see_it(hub: Hub) -> None:
    agent = fresh_agent()
    await happen(hub, started(agent, 2))
    said = await say(hub, agent, doing="the task")
    assert said.availability == "working"
    assert said == await pulse_of(hub, agent)


async def test_a_task_is_work_in_its_project_alone(hub: Hub) -> None:
    agent = fresh_agent()
    await call(hub, agent)
    await happen(hub, started(agent, 2))
    assert await availability(hub, agent, "another-one") == "online"


async def test_who_holds_a_task_and_is_silent_is_offline(hub: Hub) -> None:
    agent = fresh_agent()
    await call(hub, agent)
    await happen(hub, started(agent, 2))
    hub.clock.advance(seconds=900)
    assert await availability(hub, agent) == "offline"


@pytest.mark.parametrize("said", ["away", "offline"])
async def test_taking_a_task_ends_what_was_said(hub: Hub, said: str) -> None:
    agent = fresh_agent()
    await say(hub, agent, availability=said)
    await happen(hub, started(agent, 2))
    assert await availability(hub, agent) == "working"


async def test_taking_a_task_ends_what_was_said_in_that_project_only(hub: Hub) -> None:
    agent = fresh_agent()
    await say(hub, agent, availability="away", project="another-one")
    await happen(hub, started(agent, 2))
    assert await availability(hub, agent, "another-one") == "away"


async def test_what_is_said_while_working_stands(hub: Hub) -> None:
    agent = fresh_agent()
    await happen(hub, started(agent, 2))
    assert (await say(hub, agent, availability="away")).availability == "away"


async def test_a_start_told_twice_does_not_undo_what_was_said_in_between(hub: Hub) -> None:
    agent = fresh_agent()
    await happen(hub, started(agent, 2))
    await say(hub, agent, availability="away")
    await happen(hub, started(agent, 2))
    assert await availability(hub, agent) == "away"


async def test_the_end_of_a_task_does_not_undo_what_was_said(hub: Hub) -> None:
    agent = fresh_agent()
    await happen(hub, started(agent, 2))
    await say(hub, agent, availability="away")
    await happen(hub, ended(agent, 3))
    assert await availability(hub, agent) == "away"


async def test_an_end_that_comes_before_its_start_wins_and_counts_as_having_taken_the_task(hub: Hub) -> None:
    agent = fresh_agent()
    await say(hub, agent, availability="away")
    await happen(hub, ended(agent, 3))
    assert await availability(hub, agent) == "online"
    await say(hub, agent, availability="asleep")
    await happen(hub, started(agent, 2))
    assert await availability(hub, agent) == "asleep"
    assert (await say(hub, agent, availability=None)).availability == "online"


async def test_whatever_the_order_the_newest_holds(hub: Hub) -> None:
    for order in permutations([0, 1, 2]):
        agent = fresh_agent()
        await call(hub, agent)
        events = [started(agent, 2), ended(agent, 3), started(agent, 5, attempt_id="att_2")]
        await happen(hub, *(events[index] for index in order), events[order[0]])
        assert await availability(hub, agent) == "working", order


async def test_one_of_two_tasks_ending_leaves_the_agent_working(hub: Hub) -> None:
    agent = fresh_agent()
    await call(hub, agent)
    other: dict[str, str] = {"task_id": f"{started(agent, 2).task_id}-b", "attempt_id": "att_b"}
    events: list[AttemptStarted | AttemptEnded] = [started(agent, 2), started(agent, 2, **other), ended(agent, 3)]
    await happen(hub, *events)
    assert await availability(hub, agent) == "working"
    await happen(hub, ended(agent, 3, **other))
    assert await availability(hub, agent) == "online"
