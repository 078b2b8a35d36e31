"""The board through the tool: who is in the team, what a credential narrows, and what is refused at the edge."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from tests.site import Refused, Site

PROJECT, OTHER = "website-v2", "backend"
MAYA, JONAS = "maya/codex", "jonas/claude"
REPOSITORY = "0f" * 32


@pytest.fixture(scope="module")
async def team(site: Site) -> Site:
    """maya's and jonas's agents in one project, and maya's in another."""
    await site.introduce(PROJECT, MAYA, JONAS)
    await site.introduce(OTHER, MAYA)
    return site


async def board(site: Site, by: str, **arguments: Any) -> dict[str, Any]:
    return await site.call(by, "memory_agents", **arguments)


async def refused(site: Site, by: str, **arguments: Any) -> Refused:
    with pytest.raises(Refused) as refusal:
        await board(site, by, **arguments)
    return refusal.value


async def test_list_is_what_it_does_when_nothing_is_said(team: Site) -> None:
    await board(team, JONAS, action="update", status="reading")
    listed = await board(team, MAYA)
    assert (listed["you"]["agent_id"], listed["you"]["name"]) == (MAYA, MAYA)
    assert [peer["agent_id"] for peer in listed["peers"]] == [JONAS]
    assert listed["peers"][0]["status"] == "reading"
    assert "outcome" not in listed


async def test_null_is_the_same_as_left_out(team: Site) -> None:
    nulls = dict.fromkeys(["name", "status", "lease", "path", "worktree", "park_reason", "park_expires", "children"])
    assert "peers" in await board(team, MAYA, action="list", **nulls)


async def test_one_coordinates_ones_own_projects(team: Site) -> None:
    assert (await board(team, MAYA, action="claim", lease=f"coordinator:{OTHER}"))["outcome"] == "granted"
    refusal = await refused(team, JONAS, action="claim", lease=f"coordinator:{OTHER}")
    assert (refusal.code, refusal.field) == ("not_found", "lease")


async def test_a_project_key_is_on_the_board_and_coordinates_its_project_alone(team: Site) -> None:
    """A project is a word that ranks here, no scope: the key takes part like its agent."""
    team.tokens["app"] = await team.issue(MAYA, "project", project=PROJECT)
    claimed = await board(team, "app", action="claim", lease="claim:from-the-app")
    assert claimed["you"]["agent_id"] == MAYA
    assert (await board(team, "app", action="claim", lease=f"coordinator:{PROJECT}"))["outcome"] == "granted"
    assert (await refused(team, "app", action="claim", lease=f"coordinator:{OTHER}")).code == "not_found"
    assert "peers" in await board(team, "app", project=OTHER)


async def test_a_worktree_is_refused_with_a_hint(team: Site) -> None:
    """R35."""
    refusal = await refused(team, MAYA, action="claim", worktree="/home/maya/website", path="a.py")
    assert (refusal.code, refusal.field) == ("invalid_input", "worktree")
    assert "repository_id" in refusal.error["hint"]


async def test_releasing_what_another_holds_is_a_typed_error(team: Site) -> None:
    await board(team, MAYA, action="claim", repository_id=REPOSITORY, path="src/app.py")
    refusal = await refused(team, JONAS, action="release", repository_id=REPOSITORY, path="src/app.py")
    assert (refusal.code, refusal.field) == ("lease_not_held", "path")


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"action": "ponder"}, "action"),
        ({"action": "update", "name": "x" * 121}, "name"),
        ({"action": "update", "expect": 0}, "expect"),
        ({"action": "update", "expect": 20.5}, "expect"),
        ({"action": "update", "expect": "20"}, "expect"),
        ({"action": "update", "children": ["x"] * 9}, "children"),
        ({"action": "update", "children": ["x" * 41]}, "children[0]"),
        ({"action": "update", "park_reason": "tired"}, "park_reason"),
        ({"action": "update", "park_expires": 0}, "park_expires"),
        ({"action": "update", "park_expires": 1}, "park_expires"),
        ({"action": "update", "park_expires": 1e300}, "park_expires"),
        ({"action": "update", "park_reason": "blocked", "park_clear_by": "x/y"}, "park_clear_by"),
        ({"action": "claim", "lease": "claim:a\0b"}, "lease"),
        ({"action": "claim", "lease": "claim:../a"}, "lease"),
        ({"action": "claim", "lease": "claim:/a"}, "lease"),
        ({"action": "claim", "lease": "claim:*.py"}, "lease"),
        ({"action": "claim", "lease": "claim:cafe\u0301"}, "lease"),
        ({"action": "claim", "lease": "claim:a", "status": "x" * 241}, "status"),
        ({"action": "claim", "lease": "claim:a", "park_needs": "x"}, "park_needs"),
        ({"action": "claim", "repository_id": "0F" * 32, "path": "a"}, "repository_id"),
        ({"action": "claim"}, "lease"),
        ({"surprise": 1}, "surprise"),
        ({"facts": {}}, "facts"),
    ],
)
async def test_bad_input_is_refused_by_its_field_and_nothing_is_written(
    team: Site, arguments: dict[str, Any], field: str
) -> None:
    before = await board(team, MAYA)
    refusal = await refused(team, MAYA, **arguments)
    assert (refusal.code, refusal.field) == ("invalid_input", field)
    after = await board(team, MAYA)
    assert [after["leases"], after["you"]["status"]] == [before["leases"], before["you"]["status"]]
    assert "park" not in after["you"]


async def test_whole_numbers_may_be_written_with_a_point(team: Site) -> None:
    assert "expected_end" in (await board(team, JONAS, action="update", expect=20.0))["you"]


async def test_an_intent_shows_in_the_project_and_overlaps_are_answered(team: Site) -> None:
    """R29, R30."""
    project = f"p-{uuid4().hex[:8]}"
    await team.introduce(project, MAYA, JONAS)
    intent = {"kind": "change", "paths": ["src/"], "areas": [], "expires_in_seconds": 60}
    await team.call(MAYA, "update_pulse", project=project, intent=intent)
    said = await team.call(JONAS, "update_pulse", project=project, intent={**intent, "paths": ["src/app.py"]})
    assert [(overlap["agent_id"], overlap["paths"]) for overlap in said["overlaps"]] == [(MAYA, ["src/"])]
    context = await team.call(JONAS, "get_project_context", project=project)
    shown = {pulse["agent_id"]: pulse["intent"]["paths"] for pulse in context["pulse"]}
    assert shown == {MAYA: ["src/"], JONAS: ["src/app.py"]}
    with pytest.raises(Refused) as refusal:
        await team.call(JONAS, "update_pulse", project=project, intent={**intent, "paths": ["a", "../b"]})
    assert refusal.value.field == "intent.paths[1]"
