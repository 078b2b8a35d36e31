"""Whether an agent is awake, as the others see it over HTTP (R28)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.harness import until
from tests.system.pair import Pair

TWENTY_MINUTES = 20 * 60


async def pulse_of_bob(pair: Pair) -> dict[str, Any]:
    """Bob's pulse as ann sees it."""
    context = await pair.call(pair.ann, "get_project_context", project=pair.project)
    pulses: list[dict[str, Any]] = context["pulse"]
    return next(pulse for pulse in pulses if pulse["agent_id"] == pair.bob)


async def bob_becomes(pair: Pair, availability: str) -> None:
    """Wait until ann sees bob so."""

    async def is_so() -> bool:
        return (await pulse_of_bob(pair))["availability"] == availability

    await until(is_so)


async def test_an_agent_that_never_called_is_offline(pair: Pair) -> None:
    assert (await pulse_of_bob(pair))["availability"] == "offline"


async def test_any_call_is_a_sign_of_life_that_fades(pair: Pair) -> None:
    await pair.messages(pair.bob)
    await bob_becomes(pair, "online")
    pair.site.hub.clock.advance(seconds=61)
    assert (await pulse_of_bob(pair))["availability"] == "idle"


@pytest.mark.parametrize("said", [None, "working", "online", "away", "asleep"])
async def test_an_agent_that_died_is_offline_after_twenty_minutes_whatever_it_last_said(
    pair: Pair, said: str | None
) -> None:
    await pair.call(pair.bob, "update_pulse", project=pair.project, availability=said, doing="Counting.")
    assert (await pulse_of_bob(pair))["availability"] == (said or "online")
    pair.site.hub.clock.advance(seconds=TWENTY_MINUTES)
    pulse = await pulse_of_bob(pair)
    assert (pulse["availability"], pulse["doing"]) == ("offline", "Counting.")
    agents = (await pair.call(pair.ann, "discover_team_agents", available=True))["agents"]
    assert pair.bob not in [agent["agent_id"] for agent in agents]


async def test_a_farewell_stands_though_calls_follow(pair: Pair) -> None:
    """No late heartbeat undoes it; the next that is said does."""
    await pair.call(pair.bob, "update_pulse", project=pair.project, availability="offline")
    await pair.messages(pair.bob)
    assert (await pulse_of_bob(pair))["availability"] == "offline"
    await pair.call(pair.bob, "update_pulse", project=pair.project, availability=None)
    assert (await pulse_of_bob(pair))["availability"] == "online"


async def test_an_open_wait_keeps_its_agent_online(pair: Pair) -> None:
    waiting = await pair.site.wait(pair.bob, timeout_seconds=50)
    await bob_becomes(pair, "online")
    pair.site.hub.clock.advance(seconds=TWENTY_MINUTES)
    await bob_becomes(pair, "online")
    await pair.mention_bob()
    await waiting


async def test_who_holds_a_task_is_working_until_its_result(pair: Pair) -> None:
    named = await pair.take()
    await bob_becomes(pair, "working")
    await pair.finish(named)
    await bob_becomes(pair, "online")


async def test_a_pulse_is_each_projects_own(pair: Pair) -> None:
    other = f"{pair.project}-b"
    await pair.site.introduce(other, pair.ann, pair.bob)
    await pair.call(pair.bob, "update_pulse", project=other, availability="away", doing="Elsewhere.", branch="b")
    pulse = await pulse_of_bob(pair)
    assert (pulse["availability"], pulse["doing"], pulse["branch"]) == ("online", "", None)
