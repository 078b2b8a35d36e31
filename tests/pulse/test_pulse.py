"""What agents say of themselves and how the others see it, over the real bus (R28)."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from libs.contracts.errors import Forbidden
from libs.contracts.mailbox import ReadPulseMailbox
from libs.contracts.pulse import AgentsSeen, GetPulses, PulseMember, SignOfLife, UpdatePulse
from tests.harness import Hub
from tests.pulse.given import PROJECT, availability, call, fresh_agent, happen, pulse_of, say, seen

SERVICES = ("pulse",)


async def test_an_agent_that_never_reported_shows_when_it_joined(hub: Hub) -> None:
    joined_at = hub.clock.now - timedelta(days=3)
    pulse = await pulse_of(hub, "maya/never", joined_at=joined_at)
    assert (pulse.availability, pulse.doing, pulse.files, pulse.task_id) == ("offline", "", [], None)
    assert (pulse.owner, pulse.project, pulse.updated_at) == ("maya", PROJECT, joined_at)


async def test_pulses_come_in_the_order_asked(hub: Hub) -> None:
    agents = [fresh_agent() for _ in range(3)]
    await say(hub, agents[1], doing="the middle one")
    members = [PulseMember(agent_id=agent, project=PROJECT, joined_at=hub.clock.now) for agent in agents]
    pulses = (await hub.ask(GetPulses(members=members))).pulses
    assert [pulse.agent_id for pulse in pulses] == agents
    assert [pulse.doing for pulse in pulses] == ["", "the middle one", ""]
    assert (await hub.ask(GetPulses(members=[]))).pulses == []


async def test_what_is_left_out_stays_and_null_clears(hub: Hub) -> None:
    agent = fresh_agent()
    await say(hub, agent, doing="tests", files=["a.py"], branch="main", task_id="task_1", last_decision="SQLite")
    kept = await say(hub, agent, branch="next")
    assert (kept.doing, kept.files, kept.branch, kept.task_id) == ("tests", ["a.py"], "next", "task_1")
    cleared = await say(hub, agent, doing=None, files=None, branch=None, task_id=None, last_decision=None)
    assert (cleared.doing, cleared.files, cleared.branch) == ("", [], None)
    assert (cleared.task_id, cleared.last_decision) == (None, None)
    assert await pulse_of(hub, agent) == cleared


async def test_the_pulse_shows_when_it_was_last_reported(hub: Hub) -> None:
    agent = fresh_agent()
    await say(hub, agent, doing="one")
    hub.clock.advance(seconds=100)
    reported = await say(hub, agent)
    assert reported.updated_at == hub.clock.now
    hub.clock.advance(seconds=5)
    await call(hub, agent)
    assert (await pulse_of(hub, agent)).updated_at == reported.updated_at


async def test_a_pulse_is_said_per_project(hub: Hub) -> None:
    agent = fresh_agent()
    await say(hub, agent, availability="away", doing="elsewhere")
    other = await pulse_of(hub, agent, "another-one")
    assert (other.availability, other.doing) == ("online", "")


@pytest.mark.parametrize("by", ["maya", "operator", "system"])
async def test_who_is_no_agent_has_no_pulse(hub: Hub, by: str) -> None:
    with pytest.raises(Forbidden):
        await hub.ask(UpdatePulse(project=PROJECT, doing="spying"), by)


async def test_an_agent_dead_for_20_minutes_is_offline_whatever_it_last_said(hub: Hub) -> None:
    agents = [fresh_agent() for _ in range(4)]
    for agent, said in zip(agents, ["working", "online", "away", "idle"], strict=True):
        await say(hub, agent, availability=said)
    hub.clock.advance(seconds=20 * 60)
    assert {await availability(hub, agent) for agent in agents} == {"offline"}


async def test_a_report_is_a_sign_of_life(hub: Hub) -> None:
    agent = fresh_agent()
    await say(hub, agent, doing="waking up")
    assert await availability(hub, agent) == "online"
    hub.clock.advance(seconds=61)
    assert await availability(hub, agent) == "idle"


async def test_any_call_is_a_sign_of_life_in_all_projects(hub: Hub) -> None:
    agent = fresh_agent()
    await call(hub, agent)
    assert [await availability(hub, agent, project) for project in (PROJECT, "another-one")] == ["online", "online"]


async def test_a_later_sign_of_life_undoes_no_farewell(hub: Hub) -> None:
    agent = fresh_agent()
    await say(hub, agent, availability="offline")
    hub.clock.advance(seconds=30)
    await call(hub, agent)
    assert await availability(hub, agent) == "offline"


async def test_what_was_said_stands_until_the_next_is_said(hub: Hub) -> None:
    agent = fresh_agent()
    await say(hub, agent, availability="asleep")
    await say(hub, agent, doing="dreaming")
    assert await availability(hub, agent) == "asleep"
    assert (await say(hub, agent, availability="online")).availability == "online"


async def test_null_takes_back_what_was_said(hub: Hub) -> None:
    agent = fresh_agent()
    await say(hub, agent, availability="away")
    assert (await say(hub, agent, availability=None)).availability == "online"


async def test_an_old_sign_that_comes_late_does_not_make_an_agent_look_dead(hub: Hub) -> None:
    agent = fresh_agent()
    now = hub.clock.now
    await seen(hub, agent, now)
    await seen(hub, agent, now - timedelta(hours=1))
    assert await availability(hub, agent) == "online"


async def test_many_signs_of_one_agent_in_one_event_count_as_the_latest(hub: Hub) -> None:
    agent, now = fresh_agent(), hub.clock.now
    times = [now - timedelta(hours=2), now, now - timedelta(hours=1)]
    await happen(hub, AgentsSeen(signs=[SignOfLife(agent_id=agent, at=at) for at in times]), AgentsSeen(signs=[]))
    assert await availability(hub, agent) == "online"


async def test_reports_at_once_lose_nothing(hub: Hub) -> None:
    agent = fresh_agent()
    said: list[dict[str, Any]] = [
        {"doing": "many things"},
        {"branch": "main"},
        {"files": ["a.py"]},
        {"last_decision": "SQLite"},
    ]
    await asyncio.gather(*(say(hub, agent, **one) for one in said))
    pulse = await pulse_of(hub, agent)
    assert (pulse.doing, pulse.branch, pulse.files) == ("many things", "main", ["a.py"])
    assert pulse.last_decision == "SQLite"


async def test_the_pulse_part_of_a_mailbox_is_empty_so_far(hub: Hub) -> None:
    page = await hub.ask(ReadPulseMailbox(recipient=fresh_agent(), tool="wait_for_updates"))
    assert (page.entries, page.position) == ([], 0)
