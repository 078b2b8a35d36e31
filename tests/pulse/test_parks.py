"""Parks: why an agent stopped, and the messages that bring it back (R34, R37)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from libs.contracts.errors import InvalidInput
from libs.contracts.pulse import Park
from tests.harness import Hub
from tests.pulse.team import Team

SERVICES = ("pulse",)
LEASE = "claim:src/app.py"


async def park(team: Team, agent: str | None = None, **fields: Any) -> Park:
    """Park an agent, the first by default."""
    said = fields or {"park_reason": "needs_info", "park_clear_by": "anyone"}
    parked = (await team.act(agent or team.agents[0], "update", **said)).you.park
    assert parked is not None
    return parked


async def park_of(team: Team, agent: str | None = None) -> Park | None:
    return (await team.listed(agent or team.agents[0])).you.park


async def test_a_park_has_a_reason_a_need_who_clears_it_what_follows_and_an_end(team: Team) -> None:
    until = team.hub.clock.now.timestamp() + 600
    said = {"park_reason": "waiting_peer", "park_needs": "the schema", "park_resume": "write the migration"}
    parked = await park(team, **said, park_clear_by=team.agents[1], park_expires=until)
    assert (parked.reason, parked.needs, parked.resume) == ("waiting_peer", "the schema", "write the migration")
    assert (parked.clear_by, parked.lapsed) == (team.agents[1], False)
    assert parked.expires_at.timestamp() == pytest.approx(until, abs=0.001)
    peers = (await team.listed(team.agents[1])).peers or []
    assert [peer.park for peer in peers] == [parked]


async def test_a_park_lasts_twelve_hours_unless_it_says_otherwise(team: Team) -> None:
    parked = await park(team)
    assert parked.expires_at == team.hub.clock.now + timedelta(hours=12)


@pytest.mark.parametrize("seconds", [-1, 0, 7 * 86400 + 1, 1e300])
async def test_an_end_that_is_past_or_beyond_seven_days_is_refused(team: Team, seconds: float) -> None:
    with pytest.raises(InvalidInput) as refused:
        await park(team, park_reason="blocked", park_expires=team.hub.clock.now.timestamp() + seconds)
    assert refused.value.data.field == "park_expires"
    assert await park_of(team) is None


async def test_a_park_may_last_seven_days(team: Team) -> None:
    seven_days = team.hub.clock.now.timestamp() + 7 * 86400
    assert not (await park(team, park_reason="blocked", park_expires=seven_days)).lapsed


async def test_refining_a_park_keeps_its_end_and_what_is_left_out(team: Team) -> None:
    first = await park(team, park_reason="blocked", park_needs="a review", park_clear_by="anyone")
    team.hub.clock.advance(3600)
    refined = await park(team, park_resume="merge")
    assert (refined.reason, refined.needs, refined.clear_by) == ("blocked", "a review", "anyone")
    assert (refined.resume, refined.expires_at, refined.parked_at) == ("merge", first.expires_at, first.parked_at)


async def test_a_lapsed_park_is_flagged_and_a_new_one_starts_afresh(team: Team) -> None:
    await park(team, park_reason="blocked", park_needs="a review", park_clear_by="anyone")
    team.hub.clock.advance(12 * 3600)
    await team.hub.tick("pulse")
    lapsed = await park_of(team)
    assert lapsed is not None
    assert (lapsed.lapsed, lapsed.needs) == (True, "a review")
    fresh = await park(team, park_reason="needs_info")
    assert (fresh.needs, fresh.clear_by, fresh.lapsed) == ("", None, False)
    assert (fresh.parked_at, fresh.expires_at) == (team.hub.clock.now, team.hub.clock.now + timedelta(hours=12))


async def test_a_status_without_a_park_field_clears_the_park_and_warns(team: Team) -> None:
    await park(team)
    cleared = await team.act(team.agents[0], "update", status="going on")
    assert cleared.you.park is None
    assert cleared.warning is not None
    assert (await team.act(team.agents[0], "update", status="still going on")).warning is None


async def test_a_status_with_a_park_field_and_any_other_field_keep_the_park(team: Team) -> None:
    await park(team)
    kept = await team.act(team.agents[0], "update", status="waiting", park_needs="a word")
    assert (kept.warning, kept.you.status) == (None, "waiting")
    await team.act(team.agents[0], "update", task="T", name="N", children=[], expect=5, project="p")
    assert await park_of(team) is not None


async def test_an_empty_reason_clears_the_park_without_a_warning(team: Team) -> None:
    await park(team)
    cleared = await team.act(team.agents[0], "update", park_reason="", status="on")
    assert (cleared.you.park, cleared.warning) == (None, None)
    with pytest.raises(InvalidInput) as refused:
        await team.act(team.agents[0], "update", park_reason="", park_needs="x")
    assert refused.value.data.field == "park_needs"


@pytest.mark.parametrize("by", ["nobody", "maya/none", "", "claim:../x", "coordinator:", "worktree:x", "claim:src/"])
async def test_who_clears_a_park_is_somebody_or_a_lease(team: Team, by: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        await park(team, park_reason="blocked", park_clear_by=by)
    assert refused.value.data.field == "park_clear_by"
    assert await park_of(team) is None


async def test_a_message_clears_a_park_and_its_agent_is_told(team: Team) -> None:
    """R37."""
    parked, sender, *_ = team.agents
    await park(team, park_reason="needs_info", park_clear_by=sender, park_resume="go on")
    message = f"msg_{uuid4().hex}"
    answer = await team.clear(sender, parked, message_id=message)
    assert (answer.cleared, answer.not_cleared) == ([parked], [])
    assert await park_of(team) is None
    (entry,) = await team.told(parked)
    assert (entry.kind, entry.project) == ("park_cleared", None)
    told = entry.body["park"]
    assert (told["cleared_by"], told["message_id"], told["resume"]) == (sender, message, "go on")


async def test_a_message_asked_for_again_gets_the_same_answer_and_clears_nothing_more(team: Team) -> None:
    parked, sender, other, _ = team.agents
    await park(team)
    first = await team.clear(sender, parked, other, message_id=f"msg_{parked[-12:].replace('/', '')}")
    await park(team)
    again = await team.clear(sender, parked, other, message_id=f"msg_{parked[-12:].replace('/', '')}")
    assert again == first
    assert await park_of(team) is not None
    assert len(await team.told(parked)) == 1


async def test_only_whom_the_park_names_may_clear_it(team: Team) -> None:
    parked, named, other, _ = team.agents
    for by, sender, cleared in [
        (named, other, False),
        (named, team.owner, False),
        (named, named, True),
        ("anyone", other, True),
        ("anyone", team.owner, True),
        ("maintainer", named, False),
        ("maintainer", "somebody", False),
        ("maintainer", team.owner, True),
    ]:
        await park(team, park_reason="blocked", park_clear_by=by)
        answer = await team.clear(sender, parked)
        assert (answer.cleared == [parked]) is cleared, (by, sender)
        assert cleared or [refused.reason for refused in answer.not_cleared] == ["not_allowed"]


async def test_a_park_that_names_nobody_is_cleared_by_no_message(team: Team) -> None:
    await park(team, park_reason="blocked")
    answer = await team.clear(team.agents[1], team.agents[0])
    assert [refused.reason for refused in answer.not_cleared] == ["not_allowed"]


async def test_done_is_cleared_by_no_message(team: Team) -> None:
    """R34."""
    await park(team, park_reason="done", park_clear_by="anyone")
    answer = await team.clear(team.agents[1], team.agents[0])
    assert [refused.reason for refused in answer.not_cleared] == ["done"]
    assert await park_of(team) is not None


async def test_what_is_not_parked_here_any_more_is_not_cleared(team: Team, hub: Hub) -> None:
    other = Team(hub)
    await park(other)
    await park(team)
    team.hub.clock.advance(12 * 3600)
    answer = await team.clear(team.agents[1], team.agents[0], team.agents[2], other.agents[0], "somebody")
    reasons = {refused.address: refused.reason for refused in answer.not_cleared}
    assert reasons[team.agents[0]] == "lapsed"
    assert {reasons[who] for who in (team.agents[2], other.agents[0], "somebody")} == {"not_parked"}


async def test_the_holder_of_a_lease_may_clear_now_and_a_minute_after(team: Team) -> None:
    """R37: also when it posts after it released."""
    parked, holder, next_one, _ = team.agents
    await team.claim(holder)
    await team.claim(next_one)
    await park(team, park_reason="needs_resource", park_clear_by=LEASE)
    assert (await team.clear(team.agents[3], parked)).cleared == []
    assert (await team.clear(holder, parked)).cleared == [parked]
    await team.release(holder)
    await park(team, park_reason="needs_resource", park_clear_by=LEASE)
    team.hub.clock.advance(60)
    assert (await team.clear(holder, parked)).cleared == [parked]
    await park(team, park_reason="needs_resource", park_clear_by=LEASE)
    team.hub.clock.advance(0.5)
    assert (await team.clear(holder, parked)).cleared == []
    assert (await team.clear(next_one, parked)).cleared == [parked]


async def test_who_let_a_lease_lapse_held_it_until_it_lapsed(team: Team) -> None:
    parked, holder, *_ = team.agents
    await team.claim(holder)
    await park(team, park_reason="blocked", park_clear_by=LEASE, park_expires=team.hub.clock.now.timestamp() + 90000)
    team.hub.clock.advance(86400 + 61)
    assert (await team.clear(holder, parked)).cleared == []


async def test_waiting_for_a_lease_clears_nothing(team: Team) -> None:
    """R37: parks and statuses grant nothing, and neither does a queue."""
    parked, holder, waiting, _ = team.agents
    await team.claim(holder)
    await team.claim(waiting)
    await park(team, park_reason="blocked", park_clear_by=LEASE)
    assert (await team.clear(waiting, parked)).cleared == []
