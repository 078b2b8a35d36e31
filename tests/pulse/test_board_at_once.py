"""Many agents at once, on either database, and with pulse restarted in between (R30, R35, R36)."""

from __future__ import annotations

import asyncio

from libs.contracts.errors import LeaseNotHeld
from libs.contracts.pulse import BoardAnswer
from services.pulse.app import service
from tests.harness import Hub
from tests.pulse.given import fresh_agent
from tests.pulse.room import Room
from tests.pulse.team import Team

AT_ONCE = 16


async def tick(hub: Hub) -> None:
    """Run the timers of all replicas at once."""
    await asyncio.gather(*(hub.tick(name) for name in hub.services))


def fence_of(answer: BoardAnswer) -> int:
    assert answer.lease is not None
    return answer.lease.fence


async def test_of_sixteen_claims_at_once_one_is_granted_and_the_others_queue_at_places_of_their_own(
    replicas: Hub,
) -> None:
    for _ in range(3):
        team = Team(replicas, size=AT_ONCE)
        answers = await asyncio.gather(*(team.claim(agent) for agent in team.agents))
        assert sorted(answer.outcome or "" for answer in answers) == ["granted"] + ["queued"] * 15
        assert sorted(answer.position or 0 for answer in answers) == list(range(AT_ONCE))


async def test_a_lease_passes_along_its_queue_in_order_and_its_fences_rise(replicas: Hub) -> None:
    """Each head claims and releases while the next three claim again."""
    team = Team(replicas, size=AT_ONCE)
    answers = await asyncio.gather(*(team.claim(agent) for agent in team.agents))
    places = {agent: answer.position or 0 for agent, answer in zip(team.agents, answers, strict=True)}
    queue, fences = sorted(team.agents, key=lambda agent: places[agent]), []
    for number, holder in enumerate(queue):
        kept, *others = await asyncio.gather(*(team.claim(agent) for agent in queue[number : number + 4]))
        assert [answer.position for answer in others] == [1, 2, 3][: len(others)]
        fences.append(fence_of(kept))
        await team.release(holder)
    assert fences == sorted({*fences})
    told = [[entry.kind for entry in await team.told(agent)] for agent in queue]
    assert told == [[]] + [["lease_granted"]] * 15


async def test_leases_granted_at_once_have_fences_of_their_own(replicas: Hub) -> None:
    team = Team(replicas, size=AT_ONCE)
    names = [f"claim:file{number}" for number in range(AT_ONCE)]
    answers = await asyncio.gather(*(team.claim(agent, name) for agent, name in zip(team.agents, names, strict=True)))
    assert len({fence_of(answer) for answer in answers}) == AT_ONCE


async def test_a_lease_that_lapses_is_passed_on_once_by_timers_and_actions_at_once(replicas: Hub) -> None:
    """R4."""
    team = Team(replicas, size=AT_ONCE)
    answers = await asyncio.gather(*(team.claim(agent) for agent in team.agents))
    holder = next(agent for agent, answer in zip(team.agents, answers, strict=True) if answer.outcome == "granted")
    replicas.clock.advance(86400)
    lists = [team.listed(agent) for agent in team.agents]
    await asyncio.gather(tick(replicas), *lists, tick(replicas))
    told = [agent for agent in team.agents for _ in await team.told(agent)]
    lease = await team.lease(holder)
    assert lease is not None
    assert told == [lease.holder]
    assert lease.queue_length == 14


async def test_of_sixteen_releases_of_one_lease_one_succeeds(replicas: Hub) -> None:
    team = Team(replicas)
    await team.claim(team.agents[0])
    await team.claim(team.agents[1])
    releases = [team.release(team.agents[0]) for _ in range(AT_ONCE)]
    answers = await asyncio.gather(*releases, return_exceptions=True)
    assert len([answer for answer in answers if isinstance(answer, LeaseNotHeld)]) == AT_ONCE - 1, answers
    assert len(await team.told(team.agents[1])) == 1


async def test_of_sixteen_messages_at_once_one_clears_a_park(replicas: Hub) -> None:
    """R37."""
    team = Team(replicas, size=AT_ONCE + 1)
    parked, *senders = team.agents
    await team.act(parked, "update", park_reason="needs_info", park_clear_by="anyone")
    answers = await asyncio.gather(*(team.clear(sender, parked) for sender in senders))
    assert sum(answer.cleared == [parked] for answer in answers) == 1
    assert len(await team.told(parked)) == 1


async def test_queues_and_fences_outlive_restarts_of_pulse(replicas: Hub) -> None:
    """Pulse stops and starts again while sixteen agents claim."""
    team = Team(replicas, size=AT_ONCE)
    first = fence_of(await team.claim(team.agents[0]))
    claims = asyncio.gather(*(team.claim(agent) for agent in team.agents[1:]))
    await replicas.services["pulse"].stop()
    replicas.services["pulse"] = await service.start(replicas.settings, replicas.clock)
    answers = await claims
    assert sorted(answer.position or 0 for answer in answers) == list(range(1, AT_ONCE))
    head = next(agent for agent, answer in zip(team.agents[1:], answers, strict=True) if answer.position == 1)
    await team.release(team.agents[0])
    assert fence_of(await team.claim(head)) > first
    assert len(await team.told(head)) == 1


async def test_of_intents_declared_at_once_every_pair_is_told(replicas: Hub) -> None:
    """R30."""
    room = Room(replicas)
    agents = [fresh_agent() for _ in range(AT_ONCE)]
    answers = await asyncio.gather(*(room.announce(agent, "src/app.py") for agent in agents))
    assert sorted(len(overlaps) for overlaps in answers) == list(range(AT_ONCE))
    told = {agent: [entry.body["overlap"]["agent_id"] for entry in await room.told(agent)] for agent in agents}
    learned = {agent: {overlap.agent_id for overlap in answer} for agent, answer in zip(agents, answers, strict=True)}
    for agent in agents:
        assert {*told[agent]} | learned[agent] == {*agents} - {agent}
        assert len(told[agent]) + len(learned[agent]) == AT_ONCE - 1


async def test_everything_at_once_deadlocks_nowhere(replicas: Hub) -> None:
    """Boards are locked before rows and mailboxes: all actions, clears and timers go on."""
    team = Team(replicas, size=AT_ONCE)
    await asyncio.gather(*(team.claim(agent, f"claim:f{number % 3}") for number, agent in enumerate(team.agents)))
    replicas.clock.advance(86400)
    parking = {"park_reason": "blocked", "park_clear_by": "anyone"}
    await asyncio.gather(
        *(team.act(agent, "update", **parking) for agent in team.agents),
        *(team.claim(agent, "claim:f1") for agent in team.agents),
        *(team.clear(agent, *team.agents) for agent in team.agents[:4]),
        *(team.listed(agent) for agent in team.agents[:4]),
        tick(replicas),
    )
    assert {lease.holder for lease in (await team.listed(team.agents[0])).leases} <= {*team.agents}
