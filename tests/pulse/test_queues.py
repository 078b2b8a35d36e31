"""Queues of leases: joined, left, and passed on to the head (R35, R36)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from libs.contracts.directory import AgentRemoved, PersonRemoved
from libs.contracts.errors import LimitExceeded
from tests.harness import Hub
from tests.pulse.given import happen
from tests.pulse.team import Team

SERVICES = ("pulse",)
DAY = 86400


async def test_a_busy_lease_queues_in_order_and_each_agent_once(team: Team) -> None:
    holder, first, second, _ = team.agents
    await team.claim(holder)
    assert [(await team.claim(agent)).position for agent in (first, second, first)] == [1, 2, 1]
    queued = await team.claim(second, status="me too")
    assert (queued.outcome, queued.position) == ("queued", 2)
    assert queued.lease is not None
    assert (queued.lease.holder, queued.lease.queue_length, queued.lease.position) == (holder, 2, 2)
    assert [waiter.agent_id for waiter in queued.lease.waiters] == [first, second]
    assert [lease.position for lease in queued.leases] == [2]


async def test_when_a_lease_is_released_the_head_has_it_for_five_minutes_and_is_told_at_once(team: Team) -> None:
    holder, first, second, _ = team.agents
    before = (await team.claim(holder)).lease
    await team.claim(first, status="next", expect=60)
    await team.claim(second)
    released = await team.release(holder)
    assert released.outcome == "released"
    assert released.lease is not None
    assert released.leases == []
    (entry,) = await team.told(first)
    assert (entry.kind, entry.project) == ("lease_granted", None)
    lease = entry.body["lease"]
    assert (lease["lease"], lease["holder"], lease["purpose"]) == ("claim:src/app.py", first, "next")
    assert (lease["reserved"], lease["queue_length"]) == (True, 1)
    assert before is not None
    assert lease["fence"] > before.fence
    assert (released.lease.expires_at - team.hub.clock.now).total_seconds() == 300
    assert await team.told(second) == []


async def test_the_head_keeps_the_lease_by_claiming_it_again(team: Team) -> None:
    holder, first, *_ = team.agents
    await team.claim(holder)
    await team.claim(first)
    await team.release(holder)
    team.hub.clock.advance(299)
    kept = await team.claim(first)
    assert kept.outcome == "renewed"
    assert kept.lease is not None
    assert (kept.lease.reserved, kept.lease.expires_at) == (False, team.hub.clock.now + timedelta(seconds=DAY))
    team.hub.clock.advance(300)
    await team.hub.tick("pulse")
    assert await team.holder() == first


@pytest.mark.parametrize("by", ["the timer", "an action"])
async def test_a_head_that_does_not_claim_loses_it_to_the_next(team: Team, by: str) -> None:
    """R4, R35: whoever comes first marks it, the timer or the next action."""
    holder, first, second, _ = team.agents
    for agent in (holder, first, second):
        await team.claim(agent)
    await team.release(holder)
    team.hub.clock.advance(300)
    if by == "the timer":
        await team.hub.tick("pulse")
    else:
        await team.act(holder, "update", task="something else")
    assert [entry.kind for entry in await team.told(second)] == ["lease_granted"]
    assert await team.holder() == second
    assert (await team.claim(first)).position == 1


async def test_who_waits_may_leave_the_queue(team: Team) -> None:
    holder, first, second, _ = team.agents
    for agent in team.agents[:3]:
        await team.claim(agent)
    left = await team.release(first)
    assert left.outcome == "left_queue"
    assert left.leases == []
    await team.release(holder)
    assert await team.told(first) == []
    assert await team.holder() == second


async def test_a_queue_takes_64_agents(hub: Hub) -> None:
    team = Team(hub, size=66)
    positions = [(await team.claim(agent)).position for agent in team.agents[:65]]
    assert positions == [None, *range(1, 65)]
    with pytest.raises(LimitExceeded):
        await team.claim(team.agents[65])
    assert (await team.claim(team.agents[64])).position == 64
    lease = await team.lease(team.agents[64])
    assert lease is not None
    assert (lease.queue_length, len(lease.waiters)) == (64, 10)
    assert [waiter.agent_id for waiter in lease.waiters] == team.agents[1:11]


@pytest.mark.parametrize("removed", ["the agent", "its owner"])
async def test_the_leases_of_a_removed_agent_go_to_the_next(team: Team, removed: str) -> None:
    gone, waiting, other, _ = team.agents
    await team.claim(gone)
    await team.claim(other, "claim:b.py")
    await team.claim(gone, "claim:b.py")
    await team.claim(waiting)
    agent = AgentRemoved(agent_id=gone)
    await happen(team.hub, agent if removed == "the agent" else PersonRemoved(handle=team.owner, agents=[gone]))
    assert [entry.kind for entry in await team.told(waiting)] == ["lease_granted"]
    queues = {lease.lease: lease.queue_length for lease in (await team.listed(waiting)).leases}
    assert queues == {"claim:src/app.py": 0, "claim:b.py": 0}
