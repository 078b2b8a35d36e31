"""Claims and runs through the public endpoint: what each credential may do, and when it ends (R3, R8-R14)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest

from libs.contracts.tools import TOOLS
from libs.contracts.tools.rights import RIGHTS
from tests.site import ERAS, Refused, Site, read_list

PROJECT, MAYA, JONAS = "website-v2", "maya/codex", "jonas/claude"
TASK: dict[str, Any] = {"title": "Do it", "objective": "Do it well.", "acceptance": ["It is done"]}
NOTE = {"kind": "note", "ref": "it is done"}
numbers = count(1)


@dataclass
class Claimed:
    """A run that a device has claimed."""

    task_id: str
    token: str
    device: str
    key: str
    answer: dict[str, Any]


async def requested(site: Site) -> str:
    """A task of maya's agent for jonas's."""
    await site.introduce(PROJECT, MAYA, JONAS)
    return (await site.call(MAYA, "handoff", project=PROJECT, to=JONAS, **TASK))["task"]["task_id"]


async def claimed(site: Site, slots: int = 1) -> Claimed:
    """A task of its own, claimed by a device of its own."""
    task_id, device, key = await requested(site), f"laptop-{next(numbers)}", f"run-{next(numbers)}"
    await site.device(device, [JONAS], [PROJECT], slots)
    answer = await site.call(device, "claim_task", task_id=task_id, idempotency_key=key)
    return Claimed(task_id, answer["execution_credential"]["token"], device, key, answer)


async def done(site: Site, run: Claimed, key: str = "result") -> dict[str, Any]:
    """Return a run's result."""
    said = {"outcome": "done", "summary": "Done.", "evidence": [NOTE], "idempotency_key": f"{key}-{run.task_id}"}
    return await site.call(run.token, "return_result", task_id=run.task_id, **said)


async def listed(site: Site, by: str, era: str = ERAS[0]) -> set[str]:
    """The tools that a credential is shown."""
    return {tool["name"] for tool in read_list(await site.post(by, "tools/list", {}, era=era))}


@pytest.mark.parametrize("era", ERAS)
async def test_each_credential_is_shown_what_it_may_call_and_nothing_else(site: Site, era: str) -> None:
    run = await claimed(site)
    shown = {
        "client": MAYA,
        "device": run.device,
        "tasks": f"{run.device}:tasks",
        "run": run.token,
        "oauth": await site.issue(MAYA, "oauth"),
        "project": await site.issue(MAYA, "project", project=PROJECT),
    }
    for kind, by in shown.items():
        assert await listed(site, by, era) == {tool for tool in TOOLS if kind in RIGHTS[tool]}, kind


@pytest.mark.parametrize("tool", ["claim_task", "accept_task", "accept_result", "reject_result", "report_run"])
async def test_a_run_is_refused_the_tools_that_are_not_for_runs(site: Site, tool: str) -> None:
    run = await claimed(site)
    with pytest.raises(Refused) as refused:
        await site.call(run.token, tool, task_id=run.task_id)
    assert refused.value.code == "forbidden"


async def test_a_run_works_on_its_task_without_naming_its_attempt(site: Site) -> None:
    run = await claimed(site)
    inbox = await site.call(run.token, "check_inbox")
    assert [task["task_id"] for task in inbox["tasks"]] == [run.task_id]
    assert inbox["tasks"][0]["packet"]["objective"] == TASK["objective"]
    await site.call(run.token, "checkpoint", task_id=run.task_id, summary="Half done.")
    assert (await done(site, run))["task"]["state"] == "returned"


async def test_a_replayed_claim_gives_the_same_attempt_and_a_fresh_token_that_replaces_the_former(site: Site) -> None:
    """R10."""
    run = await claimed(site)
    again = await site.call(run.device, "claim_task", task_id=run.task_id, idempotency_key=run.key)
    assert again["attempt"] == run.answer["attempt"]
    assert again["execution_credential"]["expires_at"] == run.answer["execution_credential"]["expires_at"]
    assert (await site.post(run.token, "tools/list", {})).status_code == 401
    assert await site.call(again["execution_credential"]["token"], "check_inbox")


async def test_an_open_wait_under_a_token_that_was_replaced_ends_early(site: Site) -> None:
    """R25."""
    run = await claimed(site)
    told = await site.call(run.token, "wait_for_updates", timeout_seconds=0)
    waiting = await site.wait(run.token, "wait_for_updates", cursor=told["next_cursor"], timeout_seconds=50)
    await site.call(run.device, "claim_task", task_id=run.task_id, idempotency_key=run.key)
    with pytest.raises(Refused) as refused:
        await asyncio.wait_for(waiting, timeout=20)
    assert refused.value.code == "unauthenticated"


async def test_a_run_that_returned_may_repeat_that_very_call_and_nothing_else(site: Site) -> None:
    """R9, R10: the connection broke as the answer was written."""
    run = await claimed(site)
    first = await done(site, run)
    assert await done(site, run) == first
    for tool, said in (("check_inbox", {}), ("post_message", {"project": PROJECT, "body": "late"})):
        with pytest.raises(Refused, match="stale_attempt"):
            await site.call(run.token, tool, **said)
    with pytest.raises(Refused, match="stale_attempt"):
        await done(site, run, key="another")


async def test_an_ended_run_may_still_list_for_a_day_and_is_unknown_afterwards(site: Site) -> None:
    run = await claimed(site)
    await done(site, run)
    assert await listed(site, run.token)
    site.hub.clock.advance(seconds=86_401)
    assert (await site.post(run.token, "tools/list", {})).status_code == 401


async def test_a_cancelled_run_is_told_who_cancelled_at_its_next_call(site: Site) -> None:
    """R8: a final code, not "nothing to do"."""
    run = await claimed(site)
    await site.call(MAYA, "cancel_task", task_id=run.task_id, reason="Not needed any more.")
    with pytest.raises(Refused, match="stale_attempt") as refused:
        await site.call(run.token, "checkpoint", task_id=run.task_id, summary="Half done.")
    assert MAYA in refused.value.error["message"]
    updates = await site.call(run.device, "wait_for_updates", timeout_seconds=0, kinds=["cancel_requested"])
    assert [update["task"]["task_id"] for update in updates["updates"]] == [run.task_id]


async def test_a_device_waits_for_its_agents_tasks_and_discussions(site: Site) -> None:
    await site.introduce(PROJECT, MAYA, JONAS)
    await site.device("watcher", [JONAS], [PROJECT])
    task_id = await requested(site)
    answer = await told(site, "watcher", task_id)
    posted = await site.call(MAYA, "post_message", project=PROJECT, body="@jonas/claude a word?")
    seen = await site.call("watcher", "wait_for_updates", cursor=answer["next_cursor"])
    discussion = seen["updates"][0]
    assert (discussion["kind"], discussion["agent_id"]) == ("discussion", JONAS)
    assert discussion["message"]["id"] == posted["message"]["id"]
    narrow = await site.call("watcher:tasks", "wait_for_updates", timeout_seconds=0)
    assert "discussion" not in {update["kind"] for update in narrow["updates"]}


async def told(site: Site, device: str, task_id: str) -> dict[str, Any]:
    """The page of a device's updates that tells of a task; those linked to it before come first."""
    page = await site.call(device, "wait_for_updates", limit=50)
    while task_id not in [update["task"]["task_id"] for update in page["updates"]]:
        assert not page["timed_out"]
        page = await site.call(device, "wait_for_updates", limit=50, cursor=page["next_cursor"])
    return page


async def test_a_discussion_ends_with_the_first_reply_to_its_message(site: Site) -> None:
    """R14."""
    await site.introduce(PROJECT, MAYA, JONAS)
    await site.device("answerer", [JONAS], [PROJECT])
    posted = await site.call(MAYA, "post_message", project=PROJECT, body="@jonas/claude a word?")
    named = {"project": PROJECT, "message_id": posted["message"]["id"]}
    answer = await site.call("answerer", "claim_discussion", **named, idempotency_key="d1")
    token = answer["execution_credential"]["token"]
    assert set(answer["execution_credential"]["allowed_tools"]) == await listed(site, token)
    await site.call(token, "post_message", project=PROJECT, body="One moment.")
    reply = {"body": "Here it is.", "in_reply_to": named["message_id"]}
    await site.call(token, "post_message", project=PROJECT, **reply)
    with pytest.raises(Refused, match="stale_attempt"):
        await site.call(token, "read_room", project=PROJECT)


async def test_a_project_key_acts_in_its_project_alone(site: Site) -> None:
    await site.introduce(PROJECT, MAYA, JONAS)
    await site.introduce("other", MAYA, JONAS)
    elsewhere = await site.call(MAYA, "handoff", project="other", to=JONAS, **TASK)
    key = await site.issue(JONAS, "project", project=PROJECT)
    with pytest.raises(Refused, match="not_found"):
        await site.call(key, "read_room", project="other")
    with pytest.raises(Refused, match="not_found"):
        await site.call(key, "accept_task", task_id=elsewhere["task"]["task_id"])
    inbox = await site.call(key, "check_inbox")
    assert all(task["project"] == PROJECT for task in inbox["tasks"])


async def test_a_project_keys_waits_move_no_other_position(site: Site) -> None:
    """R21: such a key keeps a position of its own."""
    await site.introduce(PROJECT, MAYA, JONAS)
    key = await site.issue(JONAS, "project", project=PROJECT)
    start = (await site.call(JONAS, "wait_for_mention", timeout_seconds=0, limit=50))["next_cursor"]
    await site.call(JONAS, "wait_for_mention", timeout_seconds=0, cursor=start)
    posted = await site.call(MAYA, "post_message", project=PROJECT, body="@jonas/claude once")
    seen = await site.call(key, "wait_for_mention", timeout_seconds=0, limit=50)
    await site.call(key, "wait_for_mention", timeout_seconds=0, cursor=seen["next_cursor"])
    assert (await site.call(key, "wait_for_mention", timeout_seconds=0))["timed_out"]
    unnarrowed = await site.call(JONAS, "wait_for_mention", timeout_seconds=0)
    assert posted["message"]["id"] in [message["id"] for message in unnarrowed["mentions"]]


async def test_a_run_sees_its_own_tasks_entries_and_moves_nothing(site: Site) -> None:
    """R21."""
    run = await claimed(site)
    await site.call(MAYA, "post_message", project=PROJECT, body="@jonas/claude something else")
    about = {"body": "@jonas/claude about the task", "task_id": run.task_id}
    await site.call(MAYA, "post_message", project=PROJECT, **about)
    seen = await site.call(run.token, "wait_for_mention", timeout_seconds=0, limit=50)
    assert {message["task_id"] for message in seen["mentions"]} == {run.task_id}
    await site.call(run.token, "wait_for_mention", timeout_seconds=0, cursor=seen["next_cursor"])
    own = await site.call(JONAS, "wait_for_mention", timeout_seconds=0, limit=50)
    assert about["body"] in [message["body"] for message in own["mentions"]]


async def test_discovery_tells_for_whom_a_runner_stands_by(site: Site) -> None:
    await site.introduce("standby", "nina/codex", "omar/claude")
    await site.device("stand-by", ["omar/claude"], ["standby"])
    await site.call("stand-by", "wait_for_updates", timeout_seconds=0)
    await site.gateway.app.gateway.record_uses()
    agents = (await site.call("nina/codex", "discover_team_agents", project="standby"))["agents"]
    assert {agent["agent_id"]: agent["runner_online"] for agent in agents} == {"nina/codex": False, "omar/claude": True}
    site.hub.clock.advance(seconds=91)
    agents = (await site.call("nina/codex", "discover_team_agents", project="standby"))["agents"]
    assert not any(agent["runner_online"] for agent in agents)
