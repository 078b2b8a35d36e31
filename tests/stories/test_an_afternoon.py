"""An afternoon of two agents with two tokens, from the first question to the accepted result."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.processes import DemoHub
from tests.stories.friends import PROJECT, Friend, both_eras, friends

IMAGES = {
    "title": "Serve images as AVIF",
    "objective": "The home page weighs 2.4 MB. Serve AVIF with a JPEG fallback.",
    "acceptance": ["The home page weighs less than 900 kB", "The image tests pass"],
    "evidence": [["measurement"], ["test_run"]],
}
MEASURED = {"kind": "measurement", "ref": "812 kB", "criterion": 0}
TESTED = {"kind": "test_run", "ref": "pytest tests/images", "criterion": 1, "note": "passed, 31 tests"}


@both_eras
async def test_a_task_goes_to_jonas_and_comes_back_accepted(demo_hub: DemoHub, mode: str) -> None:
    async with friends(demo_hub, mode) as (maya, jonas):
        await maya_sees_who_is_there(maya)
        await jonas_is_woken_by_mayas_mention(maya, jonas)
        task_id = await maya_hands_off(maya, jonas)
        first = await jonas_begins(maya, jonas, task_id)
        await jonas_is_refused_without_evidence(jonas, first)
        await jonas_returns(maya, jonas, first, "812 kB now.")
        await maya_rejects_with_a_reason(maya, jonas, task_id)
        second = await jonas_begins(maya, jonas, task_id)
        await jonas_returns(maya, jonas, second, "Alt texts added, still 812 kB.")
        await maya_accepts(maya, jonas, task_id)
        await nothing_is_left(maya, jonas, task_id)


async def maya_sees_who_is_there(maya: Friend) -> None:
    context = await maya.call("get_project_context", project=PROJECT)
    assert {member["address"] for member in context["members"]} >= {"maya", "jonas", "jonas/claude"}
    assert [member["address"] for member in context["members"] if member["is_you"]] == ["maya/codex"]
    assert {pulse["agent_id"] for pulse in context["pulse"]} >= {"maya/codex", "jonas/claude"}
    assert context["memory"][0]["provenance"] == "owner_instruction"


async def jonas_is_woken_by_mayas_mention(maya: Friend, jonas: Friend) -> None:
    waiting = asyncio.create_task(jonas.wait("wait_for_mention"))
    await jonas.call("check_inbox")
    posted = await maya.call("post_message", project=PROJECT, body="@jonas/claude can you take the images?")
    assert posted["notified"] == ["jonas/claude"]
    assert await waiting == [posted["message"]]


async def maya_hands_off(maya: Friend, jonas: Friend) -> str:
    handed = await maya.call("handoff", project=PROJECT, to="jonas/claude", **IMAGES)
    assert handed["task"]["state"] == "requested"
    assert handed["message"]["mentions"] == ["jonas/claude"]
    assert (await jonas.wait("wait_for_mention")) == [handed["message"]]
    requested = (await jonas.updates("mention", "task_requested"))[-1]
    assert requested["task"]["task_id"] == handed["task"]["task_id"]
    task_id: str = handed["task"]["task_id"]
    return task_id


async def jonas_begins(maya: Friend, jonas: Friend, task_id: str) -> dict[str, str]:
    """The attempt as its calls name it."""
    whole = (await jonas.call("check_inbox", task_id=task_id))["tasks"][0]
    assert whole["packet"]["acceptance"] == IMAGES["acceptance"]
    accepted = await jonas.call("accept_task", task_id=task_id, idempotency_key=f"begin-{whole['updated_at']}")
    assert accepted["task"]["state"] == "working"
    named = {"task_id": task_id, "attempt_id": accepted["attempt"]["attempt_id"]}
    await jonas.call("checkpoint", **named, summary="AVIF is generated at build time.", progress=60)
    told = await maya.updates("task_updated", "checkpoint")
    assert "attempt_id" not in told[-2]["task"]["attempt"]
    assert told[-1]["checkpoint"]["progress"] == 60
    return named


async def jonas_is_refused_without_evidence(jonas: Friend, named: dict[str, str]) -> None:
    refusal = await jonas.refused("return_result", **named, outcome="done", summary="Done.", evidence=[MEASURED])
    assert refusal.code == "evidence_required"
    assert refusal.details == {"missing": [{"criterion": 1, "kinds": ["test_run"]}]}


async def jonas_returns(maya: Friend, jonas: Friend, named: dict[str, str], summary: str) -> None:
    said: dict[str, Any] = {"outcome": "done", "summary": summary, "evidence": [MEASURED, TESTED]}
    returned = await jonas.call("return_result", **named, **said)
    assert returned["task"]["state"] == "returned"
    told = (await maya.updates("result_returned"))[-1]
    assert told["result"]["result_id"] == returned["result"]["result_id"]
    assert told["result"]["evidence"] == [MEASURED, TESTED]
    reviews = (await maya.call("check_inbox"))["reviews"]
    assert returned["result"]["result_id"] in [review["result"]["result_id"] for review in reviews]


async def maya_rejects_with_a_reason(maya: Friend, jonas: Friend, task_id: str) -> None:
    rejected = await maya.call("reject_result", task_id=task_id, reason="The fallback has no alt texts.")
    assert rejected["task"]["state"] == "requested"
    reviewed, *_, requested = await jonas.updates("result_reviewed", "task_requested")
    assert reviewed["result"]["review"]["note"] == "The fallback has no alt texts."
    assert requested["task"]["task_id"] == task_id
    whole = (await jonas.call("check_inbox", task_id=task_id))["tasks"][0]
    assert whole["results"][0]["review"]["verdict"] == "rejected"
    assert whole["checkpoints"][0]["progress"] == 60


async def maya_accepts(maya: Friend, jonas: Friend, task_id: str) -> None:
    accepted = await maya.call("accept_result", task_id=task_id, note="Thank you!")
    assert accepted["task"]["state"] == "accepted"
    reviewed = (await jonas.updates("result_reviewed"))[-1]
    assert reviewed["result"]["review"]["verdict"] == "accepted"


async def nothing_is_left(maya: Friend, jonas: Friend, task_id: str) -> None:
    for friend in (maya, jonas):
        inbox = await friend.call("check_inbox")
        assert task_id not in [task["task_id"] for task in inbox["tasks"]]
        assert await friend.wait("wait_for_updates", timeout_seconds=0) == []
        assert await friend.wait("wait_for_mention", timeout_seconds=0) == []
