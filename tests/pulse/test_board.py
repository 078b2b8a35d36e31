"""The shared board of a team: rows, peers and what is listed (R32, R33, R34)."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from libs.contracts.errors import Forbidden, InvalidInput
from libs.contracts.pulse import BoardAnswer, ListBoard, MemoryAgents
from tests.harness import Hub
from tests.pulse.given import call, ended, happen, started
from tests.pulse.team import REPOSITORY, Team

SERVICES = ("pulse",)


def peers_in(answer: BoardAnswer) -> list[str]:
    assert answer.peers is not None
    return [peer.agent_id for peer in answer.peers]


async def test_an_agent_that_never_wrote_has_an_empty_row(team: Team) -> None:
    you = (await team.listed(team.agents[0])).you
    assert (you.agent_id, you.name, you.status, you.task, you.children) == (team.agents[0], "Agent0", "", "", [])
    assert (you.park, you.expected_end, you.active_at, you.attached) == (None, None, None, False)


async def test_what_is_left_out_of_an_update_stays(team: Team) -> None:
    """R34."""
    agent = team.agents[0]
    said = {"name": "Maya's", "task": "login", "status": "half", "project": "website-v2", "children": ["tests", "docs"]}
    await team.act(agent, "update", **said, expect=60)
    kept = (await team.act(agent, "update", status="more")).you
    assert (kept.name, kept.task, kept.status, kept.project) == ("Maya's", "login", "more", "website-v2")
    assert (kept.children, kept.overdue, kept.active_at) == (["tests", "docs"], False, team.hub.clock.now)
    assert kept.expected_end is not None
    team.hub.clock.advance(60)
    assert (await team.listed(agent)).you.overdue


async def test_an_empty_name_brings_the_given_one_back(team: Team) -> None:
    await team.act(team.agents[0], "update", name="Maya's")
    assert (await team.act(team.agents[0], "update", name="")).you.name == "Agent0"


async def test_no_children_clears_the_typed_labels_and_leaves_live_runs(team: Team) -> None:
    """R32, R34: live runs are an agent's automatic children."""
    agent = team.agents[0]
    await team.act(agent, "update", children=["by hand"])
    await happen(team.hub, started(agent, 1, kind="run", started_at=team.hub.clock.now))
    you = (await team.act(agent, "update", children=[])).you
    assert you.children == []
    assert [(run.project, run.task_id) for run in you.runs] == [("website-v2", f"task_{agent.partition('/')[2]}")]
    assert you.runs[0].started_at == team.hub.clock.now
    await happen(team.hub, ended(agent, 2))
    assert (await team.listed(agent)).you.runs == []


async def test_a_task_taken_by_hand_is_no_child(team: Team) -> None:
    await happen(team.hub, started(team.agents[0], 1, task_id=f"task_{team.slug}"))
    assert (await team.listed(team.agents[0])).you.runs == []


async def test_a_run_in_a_project_of_others_shows_without_its_task(team: Team) -> None:
    """R1."""
    agent = team.agents[0]
    hidden = {"project": "secret-plan", "task_id": f"task_{team.slug}"}
    await happen(team.hub, started(agent, 1, kind="run", started_at=team.hub.clock.now, **hidden))
    (peer,) = (await team.listed(team.agents[1])).peers or []
    assert [run.wire().keys() for run in peer.runs] == [{"started_at"}]


@pytest.mark.parametrize(
    ("children", "field"),
    [
        (["a", ""], "children[1]"),
        (["  "], "children[0]"),
        (["a", "b", "a"], "children[2]"),
        (["x" * 41], "children[0]"),
    ],
)
async def test_labels_are_distinct_short_and_not_empty(team: Team, children: list[str], field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        await team.act(team.agents[0], "update", children=children, status="x")
    assert refused.value.data.field == field
    assert (await team.listed(team.agents[0])).you.status == ""


async def test_peers_are_attached_first_then_the_latest(team: Team) -> None:
    """R33."""
    me, early, late, attached = team.agents
    await call(team.hub, attached)
    team.hub.clock.advance(30)
    await team.act(early, "update", status="early")
    team.hub.clock.advance(10)
    await team.act(late, "update", status="late")
    listed = await team.listed(me)
    assert peers_in(listed) == [attached, late, early]
    assert [peer.attached for peer in listed.peers or []] == [True, False, False]
    assert (listed.peer_count, listed.idle_omitted, listed.truncated) == (3, 0, False)


async def test_project_and_task_rank_and_hide_nothing(team: Team) -> None:
    me, one, two, three = team.agents
    await team.act(one, "update", project="website-v2", task="login")
    await team.act(two, "update", project="website-v2")
    team.hub.clock.advance(1)
    await team.act(three, "update", project="other")
    assert peers_in(await team.listed(me, project="website-v2", task="login")) == [one, two, three]
    assert peers_in(await team.listed(me))[0] == three


async def test_who_did_nothing_for_an_hour_is_counted_and_not_listed(team: Team) -> None:
    me, active, idle, _never = team.agents
    await team.act(idle, "update", status="going home")
    team.hub.clock.advance(1)
    await call(team.hub, active)
    team.hub.clock.advance(3599)
    listed = await team.listed(me)
    assert (peers_in(listed), listed.peer_count, listed.idle_omitted) == ([active], 1, 2)


async def test_leases_are_listed_ones_own_first(team: Team) -> None:
    me, other, *_ = team.agents
    await team.claim(me, "claim:mine")
    await team.claim(other, "claim:waiting")
    await team.claim(me, "claim:waiting")
    team.hub.clock.advance(1)
    await team.claim(other, "claim:theirs")
    await team.claim(other, "coordinator:website-v2")
    listed = await team.listed(me, project="website-v2")
    names = [lease.lease for lease in listed.leases]
    assert {*names[:2]} == {"claim:mine", "claim:waiting"}
    assert names[2:] == ["coordinator:website-v2", "claim:theirs"]
    assert (listed.lease_count, listed.leases_truncated) == (4, False)


async def test_every_answer_carries_ones_own_row_and_leases(team: Team) -> None:
    me, other, *_ = team.agents
    await team.claim(other, "claim:theirs")
    await team.act(me, "update", status="here")
    for answer in (await team.claim(me, "claim:a"), await team.act(me, "update"), await team.release(me, "claim:a")):
        assert (answer.you.agent_id, answer.you.status) == (me, "here")
        assert answer.peers is None
        assert {lease.holder for lease in answer.leases} <= {me}


async def test_at_most_50_peers_and_50_leases_are_listed_and_all_are_counted(hub: Hub) -> None:
    team = Team(hub, size=62)
    for number, agent in enumerate(team.agents[:60]):
        await team.act(agent, "update", status="x")
        await team.claim(agent, f"claim:file{number}")
    listed = await team.listed(team.agents[60])
    assert (len(listed.peers or []), listed.peer_count, listed.idle_omitted, listed.truncated) == (50, 60, 1, True)
    assert (len(listed.leases), listed.lease_count, listed.leases_truncated) == (50, 60, True)


async def test_an_answer_takes_at_most_64_kib_whatever_it_lists(hub: Hub) -> None:
    team, wide = Team(hub, size=40), "\U0001f600"
    for number, agent in enumerate(team.agents):
        said: dict[str, Any] = {"status": wide * 240, "task": wide * 120, "park_needs": wide * 120}
        await team.act(agent, "update", **said, park_resume=wide * 240)
        path = f"{number}{wide * 2000}"
        await team.act(agent, "claim", repository_id=REPOSITORY, path=path, status=wide * 240)
    for answer in (
        await team.listed(team.agents[0]),
        await team.act(team.agents[0], "claim", repository_id=REPOSITORY, path=f"0{wide * 2000}"),
    ):
        assert len(orjson.dumps(answer.wire())) < 64 * 1024
        assert answer.leases_truncated is (answer.peers is not None)
    listed = await team.listed(team.agents[0])
    assert (listed.truncated, listed.peer_count, listed.lease_count) == (True, 39, 40)
    assert listed.peers


@pytest.mark.parametrize("by", ["maya", "operator", "system"])
async def test_only_agents_are_on_the_board(team: Team, by: str) -> None:
    with pytest.raises(Forbidden):
        await team.hub.ask(MemoryAgents(facts=team.facts()), by)


async def test_a_list_that_is_not_kept_is_the_same_list(team: Team) -> None:
    await team.claim(team.agents[0])
    command = ListBoard(project="website-v2", facts=team.facts())
    assert await team.hub.ask(command, team.agents[0]) == await team.listed(team.agents[0], project="website-v2")
