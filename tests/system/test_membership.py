"""Who is in a project, and what those who are not can tell of it (R1, R26)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.system.pair import PROOF, Pair, both_eras, ids


async def change(pair: Pair, method: str, address: str) -> None:
    """Let the project's owner add (PUT) or remove (DELETE) a member."""
    owner = pair.ann.partition("/")[0]
    answer = await pair.api(method, f"/projects/{pair.project}/members/{address}", owner)
    assert answer.status_code in (200, 204)


@both_eras
async def test_who_was_removed_finds_nothing_of_the_project(pair: Pair) -> None:
    await pair.mention_bob("a secret of the project")
    await change(pair, "DELETE", pair.bob)
    assert await pair.heard() == []
    assert (await pair.wait(tool="wait_for_updates"))["updates"] == []
    for tool in ("read_room", "get_project_context", "update_pulse", "wait_for_mention", "discover_team_agents"):
        assert await pair.refusal(tool, project=pair.project) == ("not_found", "project"), tool
    assert await pair.refusal("post_message", project=pair.project, body="hi") == ("not_found", "project")


@both_eras
async def test_the_first_wait_after_it_was_added_again_says_resync_until_that_is_acknowledged(pair: Pair) -> None:
    """R26."""
    before = await pair.wait()
    mention = await pair.mention_bob()
    await change(pair, "DELETE", pair.bob)
    await change(pair, "PUT", pair.bob)
    for cursor in ({}, {}, {"cursor": before["next_cursor"]}):
        answer = await pair.wait(**cursor)
        assert (answer["resync"], answer["timed_out"], ids(answer)) == (True, False, [mention])
    assert "resync" not in await pair.wait(cursor=answer["next_cursor"])
    assert "resync" not in await pair.wait()
    assert (await pair.wait(tool="wait_for_updates"))["resync"]


async def test_resync_is_told_even_when_there_is_nothing_else(pair: Pair) -> None:
    """R26: a long wait does not sleep on it."""
    await change(pair, "DELETE", pair.bob)
    await change(pair, "PUT", pair.bob)
    answer = await pair.wait(timeout_seconds=50)
    assert (answer["mentions"], answer["resync"], answer["timed_out"]) == ([], True, False)


async def test_an_open_wait_delivers_nothing_of_a_project_that_was_left_meanwhile(pair: Pair) -> None:
    """R26: the other projects go on."""
    other = f"{pair.project}-b"
    await pair.site.introduce(other, pair.ann, pair.bob)
    waiting = await pair.site.wait(pair.bob, timeout_seconds=50)
    await change(pair, "DELETE", pair.bob)
    posted = await pair.call(pair.ann, "post_message", project=pair.project, body=f"@{pair.bob} gone?")
    assert posted["notified"] == []
    posted = await pair.call(pair.ann, "post_message", project=other, body=f"@{pair.bob} here?")
    assert ids(await waiting) == [posted["message"]["id"]]


async def test_removing_a_person_removes_its_agents(pair: Pair) -> None:
    """R1."""
    await change(pair, "DELETE", pair.bob.partition("/")[0])
    context = await pair.call(pair.ann, "get_project_context", project=pair.project)
    assert [member["address"] for member in context["members"]] == [pair.ann.partition("/")[0], pair.ann]


async def test_who_was_just_added_is_a_member_at_once(pair: Pair) -> None:
    """What the gateway remembers of a moment ago refuses nobody."""
    await pair.call(pair.bob, "update_pulse", project=pair.project, doing="Here.")
    other = f"{pair.project}-b"
    await pair.site.introduce(other, pair.ann, pair.bob)
    pulse = (await pair.call(pair.bob, "update_pulse", project=other, doing="There."))["pulse"]
    assert (pulse["project"], pulse["doing"]) == (other, "There.")


def calls_on(named: dict[str, str], result_id: str) -> list[tuple[str, dict[str, Any]]]:
    """Every call that names a task."""
    task = {"task_id": named["task_id"]}
    return [
        ("check_inbox", task),
        ("accept_task", task),
        ("accept_task", {**task, "decline_reason": "No."}),
        ("checkpoint", {**named, "summary": "Mine."}),
        ("return_result", {**named, "outcome": "done", "summary": "Mine.", "evidence": [PROOF]}),
        ("accept_result", {**task, "result_id": result_id}),
        ("reject_result", {**task, "reason": "No."}),
        ("cancel_task", {**task, "reason": "No."}),
        ("request_clarification", {**named, "question": "Which?"}),
    ]


@pytest.mark.parametrize("where", ["in the project", "elsewhere"])
async def test_a_task_of_others_is_not_found_by_any_tool(pair: Pair, where: str) -> None:
    """R1: other members see its Task request, and nobody learns whether an id exists."""
    stranger = (await Pair.meet(pair.site)).bob
    if where == "in the project":
        await pair.site.introduce(pair.project, pair.ann, stranger)
    named = await pair.take()
    result = (await pair.finish(named))["result"]
    before = await pair.whole(named["task_id"])
    for tool, arguments in calls_on(named, result["result_id"]):
        assert await pair.refusal(tool, by=stranger, **arguments) == ("not_found", "task_id"), tool
    assert await pair.whole(named["task_id"]) == before
    if where == "in the project":
        assert before["message_id"] in await pair.messages(stranger)


async def test_agents_that_share_no_project_are_never_shown(pair: Pair) -> None:
    stranger = await Pair.meet(pair.site)
    agents = (await pair.call(pair.bob, "discover_team_agents"))["agents"]
    assert [agent["agent_id"] for agent in agents] == [pair.ann, pair.bob]
    assert [agent["is_you"] for agent in agents] == [False, True]
    refusal = await pair.refusal("handoff", by=pair.ann, **handing(stranger.project, stranger.bob))
    assert refusal == ("not_found", "project")
    assert await pair.refusal("handoff", by=pair.ann, **handing(pair.project, stranger.bob)) == ("not_found", "to")
    assert (await pair.call(stranger.bob, "check_inbox"))["tasks"] == []


def handing(project: str, to: str) -> dict[str, Any]:
    """The arguments of a handoff."""
    return {"project": project, "to": to, "title": "Spy", "objective": "Look.", "acceptance": ["Seen"]}
