"""`prickle admin dead-letters` and `prickle admin replay` against a real site."""

from __future__ import annotations

import pytest

from libs.bus.tables import DEAD_LETTERS
from tests.client.prickle_command import Prickle
from tests.site import Site


@pytest.fixture(scope="module")
async def prickle(site: Site) -> Prickle:
    """Commands of the operator of a hub with two letters, of which rooms can handle one."""
    await site.introduce("garden", "maya/codex")
    site.tokens["operator"] = await site.issue("operator", "operator")
    for event_id, agent in (("evt_good", "maya/gone"), ("evt_bad", "no address")):
        row = {"event": "agent_removed", "body": {"agent_id": agent}, "error": "OldError", "deliveries": 5}
        async with site.hub.services["rooms"].database.write() as session:
            await session.execute(DEAD_LETTERS.insert(), [row | {"event_id": event_id, "died_at": site.hub.clock.now}])
        site.hub.clock.advance(1)
    return Prickle(site, by="operator")


async def test_the_operator_lists_and_replays_dead_letters(prickle: Prickle) -> None:
    table = await prickle.shows("admin", "dead-letters")
    assert ("evt_good" in table, "evt_bad" in table, "agent_removed" in table) == (True, True, True)
    assert await prickle.shows("admin", "replay", "rooms", "evt_good") == "Handled.\n"
    failed = await prickle.refuses("admin", "replay", "rooms", "evt_bad")
    assert failed == "Handling it failed with ValidationError: look for its event_id in the log of rooms."
    left = await prickle.says("admin", "dead-letters", "rooms")
    assert [letter["event_id"] for letter in left["dead_letters"]] == ["evt_bad"]
    assert "evt_bad" not in await prickle.shows("admin", "dead-letters", "pulse")


async def test_a_person_is_refused_in_a_sentence(prickle: Prickle) -> None:
    for arguments in (("dead-letters",), ("replay", "rooms", "evt_bad")):
        assert (
            await prickle.refuses("admin", *arguments, by="maya") == "Ask the operator of this installation to do this."
        )
