"""Days on which not everything goes to plan."""

from __future__ import annotations

from tests.processes import DemoHub
from tests.stories.friends import PROJECT, Friend, both_eras, friends
from tests.stories.test_an_afternoon import IMAGES


@both_eras
async def test_jonas_comes_back_after_a_weekend_and_has_missed_nothing(demo_hub: DemoHub, mode: str) -> None:
    """R22: no wait was open while all of this happened."""
    async with friends(demo_hub, mode) as (maya, jonas):
        said = [f"@jonas/claude note {number}" for number in range(3)]
        for body in said:
            await maya.call("post_message", project=PROJECT, body=body)
        handed = await maya.call("handoff", project=PROJECT, to="jonas/claude", **IMAGES)
        mentions = await jonas.wait("wait_for_mention", timeout_seconds=0)
        assert [message["body"] for message in mentions[:3]] == said
        assert mentions[3] == handed["message"]
        updates = await jonas.wait("wait_for_updates", timeout_seconds=0)
        assert [update["kind"] for update in updates] == ["mention"] * 3 + ["task_requested"]
        await maya.call("cancel_task", task_id=handed["task"]["task_id"], reason="Solved over the weekend.")


@both_eras
async def test_maya_cancels_and_jonas_is_told_at_once_and_at_the_next_call(demo_hub: DemoHub, mode: str) -> None:
    """R8."""
    async with friends(demo_hub, mode) as (maya, jonas):
        named = await begun(maya, jonas)
        await maya.call("cancel_task", task_id=named["task_id"], reason="We use a CDN now.")
        told = (await jonas.updates("cancel_requested"))[-1]
        assert (told["task"]["state"], told["task"]["note"]) == ("cancelled", "We use a CDN now.")
        refusal = await jonas.refused("checkpoint", **named, summary="Still at it.")
        assert refusal.code == "stale_attempt"
        assert "maya/codex" in refusal.message


@both_eras
async def test_jonas_gives_up_halfway_and_maya_sees_why(demo_hub: DemoHub, mode: str) -> None:
    """R15: other outcomes than done need a summary only."""
    async with friends(demo_hub, mode) as (maya, jonas):
        named = await begun(maya, jonas)
        await jonas.call("return_result", **named, outcome="blocked", summary="The build server is away.")
        told = (await maya.updates("result_returned"))[-1]
        assert (told["result"]["outcome"], told["result"]["evidence"]) == ("blocked", [])
        accepted = await maya.call("accept_result", task_id=named["task_id"])
        assert accepted["task"]["state"] == "accepted"


async def begun(maya: Friend, jonas: Friend) -> dict[str, str]:
    """A task that jonas works on: what its calls name."""
    handed = await maya.call("handoff", project=PROJECT, to="jonas/claude", **IMAGES)
    taken = await jonas.call("accept_task", task_id=handed["task"]["task_id"])
    return {"task_id": handed["task"]["task_id"], "attempt_id": taken["attempt"]["attempt_id"]}
