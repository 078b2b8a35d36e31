"""Leases: granted, renewed, lapsed and released (R35, R36)."""

from __future__ import annotations

from typing import Any

import pytest

from libs.contracts.errors import InvalidInput, LeaseNotHeld, LimitExceeded, NotFound
from tests.harness import Hub
from tests.pulse.team import REPOSITORY, Team

SERVICES = ("pulse",)
SETTINGS = {"leases_per_agent": 12}
HOUR, DAY = 3600, 86400


async def test_a_free_lease_is_granted_and_its_holder_renews_it(team: Team) -> None:
    """R35, R36: a renewal keeps the fence."""
    one = team.agents[0]
    granted = await team.claim(one, status="the login page", expect=600)
    assert (granted.outcome, granted.position) == ("granted", None)
    lease = granted.lease
    assert lease is not None
    assert (lease.lease, lease.holder, lease.purpose) == ("claim:src/app.py", one, "the login page")
    assert (lease.expires_at - team.hub.clock.now).total_seconds() == DAY
    assert lease.expected_end is not None
    team.hub.clock.advance(100)
    renewed = await team.claim(one)
    assert renewed.outcome == "renewed"
    assert renewed.lease is not None
    assert (renewed.lease.fence, renewed.lease.purpose) == (lease.fence, "the login page")
    assert (renewed.lease.expires_at - lease.expires_at).total_seconds() == 100
    assert renewed.lease.expected_end == lease.expected_end
    assert [held.lease for held in renewed.leases] == ["claim:src/app.py"]


async def test_a_coordinator_lease_lasts_an_hour_and_a_file_claim_a_day(team: Team) -> None:
    coordinator = (await team.claim(team.agents[0], "coordinator:website-v2")).lease
    claimed = (await team.act(team.agents[0], "claim", repository_id=REPOSITORY, path="src/app.py")).lease
    assert coordinator is not None
    assert claimed is not None
    now = team.hub.clock.now
    assert [(lease.expires_at - now).total_seconds() for lease in (coordinator, claimed)] == [HOUR, DAY]
    assert (claimed.lease, claimed.repository_id, claimed.path) == (None, REPOSITORY, "src/app.py")


async def test_a_claim_of_a_name_and_of_a_file_are_two_leases(team: Team) -> None:
    await team.claim(team.agents[0], "claim:src/app.py")
    file_claim = await team.act(team.agents[1], "claim", repository_id=REPOSITORY, path="src/app.py")
    elsewhere = await team.act(team.agents[2], "claim", repository_id="cd" * 32, path="src/app.py")
    assert (file_claim.outcome, elsewhere.outcome) == ("granted", "granted")


async def test_only_ones_own_project_can_be_coordinated(team: Team) -> None:
    with pytest.raises(NotFound) as refused:
        await team.claim(team.agents[0], "coordinator:secret-plan")
    assert refused.value.data.field == "lease"
    assert await team.lease(team.agents[0]) is None


async def test_the_expected_end_marks_overdue_and_ends_nothing(team: Team) -> None:
    await team.claim(team.agents[0], expect=60)
    team.hub.clock.advance(61)
    lease = await team.lease(team.agents[1])
    assert lease is not None
    assert (lease.overdue, lease.holder) == (True, team.agents[0])


async def test_a_claim_by_another_extends_no_lease(team: Team) -> None:
    """R36."""
    holder, other, *_ = team.agents
    granted = (await team.claim(holder)).lease
    team.hub.clock.advance(100)
    queued = (await team.claim(other)).lease
    assert granted is not None
    assert queued is not None
    assert queued.expires_at == granted.expires_at


@pytest.mark.parametrize("by", ["the timer", "an action"])
async def test_a_lease_that_nobody_renews_ends_in_time(team: Team, by: str) -> None:
    holder, first, *_ = team.agents
    await team.claim(holder)
    await team.claim(first)
    team.hub.clock.advance(DAY - 1)
    await team.hub.tick("pulse")
    assert await team.holder() == holder
    team.hub.clock.advance(1)
    if by == "the timer":
        await team.hub.tick("pulse")
    assert await team.holder() == first
    assert len(await team.told(first)) == 1


async def test_a_lapsed_lease_without_a_queue_is_free(team: Team) -> None:
    granted = await team.claim(team.agents[0])
    team.hub.clock.advance(DAY)
    assert await team.lease(team.agents[1]) is None
    again = await team.claim(team.agents[0])
    assert again.outcome == "granted"
    assert again.lease is not None
    assert granted.lease is not None
    assert again.lease.fence > granted.lease.fence


async def test_fences_rise_and_are_never_used_again(team: Team) -> None:
    """R36: also when a lease was forgotten in between."""
    fences = []
    for _ in range(3):
        for agent in team.agents:
            lease = (await team.claim(agent)).lease
            assert lease is not None
            fences.append(lease.fence)
            await team.release(agent)
        team.hub.clock.advance(61)
        await team.hub.tick("pulse")
    assert fences == sorted({*fences})


async def test_who_neither_holds_nor_waits_cannot_release(team: Team) -> None:
    """R36: a typed error, never a success that released nothing."""
    holder, other, *_ = team.agents
    await team.claim(holder)
    for agent, lease in [(other, "claim:src/app.py"), (holder, "claim:src/App.py"), (holder, "claim:src/b.py")]:
        with pytest.raises(LeaseNotHeld) as refused:
            await team.release(agent, lease)
        assert (refused.value.data.code, refused.value.data.field) == ("lease_not_held", "lease")
    assert await team.holder() == holder
    await team.release(holder)
    with pytest.raises(LeaseNotHeld):
        await team.release(holder)


async def test_who_let_a_lease_lapse_cannot_release_it(team: Team) -> None:
    holder, first, *_ = team.agents
    await team.claim(holder)
    await team.claim(first)
    team.hub.clock.advance(DAY)
    with pytest.raises(LeaseNotHeld):
        await team.release(holder)
    assert await team.holder() == first


async def test_a_claim_that_differs_from_a_live_one_in_case_alone_is_refused(team: Team) -> None:
    """R35: case is kept."""
    one, other, *_ = team.agents
    await team.claim(one, "claim:docs/README.md")
    for agent in (one, other):
        with pytest.raises(InvalidInput) as refused:
            await team.claim(agent, "claim:docs/readme.md")
        assert refused.value.data.field == "lease"
    await team.release(one, "claim:docs/README.md")
    assert (await team.claim(other, "claim:docs/readme.md")).outcome == "granted"
    with pytest.raises(InvalidInput):
        await team.claim(one, "claim:docs/README.md")


async def test_an_agent_holds_and_awaits_only_so_many_leases(team: Team) -> None:
    """Twelve here, by this module's settings."""
    me, other, *_ = team.agents
    await team.claim(other, "claim:theirs")
    await team.claim(me, "claim:theirs")
    for number in range(11):
        await team.claim(me, f"claim:file{number}")
    with pytest.raises(LimitExceeded):
        await team.claim(me, "claim:one-more")
    assert (await team.claim(me, "claim:file7")).outcome == "renewed"


async def test_other_teams_leases_are_invisible_and_do_not_collide(hub: Hub) -> None:
    """R32."""
    one, other = Team(hub), Team(hub)
    assert (await one.claim(one.agents[0])).outcome == "granted"
    assert (await other.claim(other.agents[0])).outcome == "granted"
    (lease,) = (await other.listed(other.agents[1])).leases
    assert lease.holder == other.agents[0]


@pytest.mark.parametrize(
    ("action", "fields", "field"),
    [
        ("list", {"status": "x"}, "status"),
        ("list", {"lease": "claim:a"}, "lease"),
        ("update", {"lease": "claim:a"}, "lease"),
        ("update", {"path": "a"}, "path"),
        ("claim", {"lease": "claim:a", "name": "x"}, "name"),
        ("claim", {"lease": "claim:a", "children": []}, "children"),
        ("claim", {"lease": "claim:a", "park_reason": "done"}, "park_reason"),
        ("claim", {"lease": "claim:a", "project": "website-v2"}, "project"),
        ("release", {"lease": "claim:a", "status": "x"}, "status"),
        ("release", {"lease": "claim:a", "expect": 1}, "expect"),
    ],
)
async def test_an_action_refuses_the_fields_of_others_before_anything_is_written(
    team: Team, action: str, fields: dict[str, Any], field: str
) -> None:
    """R32."""
    before = await team.listed(team.agents[0])
    with pytest.raises(InvalidInput) as refused:
        await team.act(team.agents[0], action, **fields)
    assert refused.value.data.field == field
    assert await team.listed(team.agents[0]) == before
