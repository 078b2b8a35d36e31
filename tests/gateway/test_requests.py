"""Requests, clarifications and previews through the public endpoint (R7)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from libs.contracts.caller import Caller
from libs.contracts.rooms import WriteMemory
from libs.contracts.tasks import DecideRequest
from tests.site import ERAS, Refused, Site

PROJECT, MAYA, JONAS = "website-v2", "maya/codex", "jonas/claude"
TASK: dict[str, Any] = {"title": "Do it", "objective": "Do it well.", "acceptance": ["It is done"]}
WISH: dict[str, Any] = {"project": PROJECT, "capability": "network:pypi", "reason": "To install ruff."}
both_eras = pytest.mark.parametrize("era", ERAS)


@pytest.fixture(autouse=True)
async def crew(site: Site) -> None:
    """Maya's and jonas's agents in one project."""
    await site.introduce(PROJECT, MAYA, JONAS)


async def taken(site: Site) -> dict[str, str]:
    """A task of maya's agent that jonas's holds, as its calls name it."""
    task_id = (await site.call(MAYA, "handoff", project=PROJECT, to=JONAS, **TASK))["task"]["task_id"]
    attempt = (await site.call(JONAS, "accept_task", task_id=task_id))["attempt"]
    return {"task_id": task_id, "attempt_id": attempt["attempt_id"]}


async def asked(site: Site) -> dict[str, Any]:
    """A question of jonas's agent."""
    opened = await site.call(JONAS, "request_clarification", **await taken(site), question="Which?")
    request: dict[str, Any] = opened["request"]
    return request


async def waiting_for(site: Site, by: str, kind: str) -> asyncio.Task[dict[str, Any]]:
    """An open wait for what comes from now on."""
    page = await site.call(by, "wait_for_updates", kinds=[kind], timeout_seconds=0)
    while not page["timed_out"]:
        page = await site.call(by, "wait_for_updates", kinds=[kind], timeout_seconds=0, cursor=page["next_cursor"])
    return await site.wait(by, "wait_for_updates", kinds=[kind], cursor=page["next_cursor"])


@both_eras
async def test_a_question_and_its_answer_reach_open_waits(site: Site, era: str) -> None:
    named = await taken(site)
    requester = await waiting_for(site, MAYA, "request_opened")
    question = {"question": "Which?", "options": ["This", "That"]}
    request = (await site.call(JONAS, "request_clarification", era=era, **named, **question))["request"]
    assert (await requester)["updates"][0]["request"] == request
    assert request in (await site.call(MAYA, "check_inbox", era=era))["requests"]
    assignee = await waiting_for(site, JONAS, "request_decided")
    said = {"request_id": request["request_id"], "answer": "This"}
    answered = (await site.call(MAYA, "answer_clarification", era=era, **said))["request"]
    assert (await assignee)["updates"][0]["request"] == answered
    made = await site.call(JONAS, "checkpoint", era=era, **named, summary="On it.")
    assert [(one["kind"], one["request"]) for one in made["directives"]] == [("clarified", answered)]
    assert made["task"]["state"] == "working"


async def test_the_same_key_repeats_a_request_and_no_other(site: Site) -> None:
    """R40."""
    first = await site.call(JONAS, "request_capability", **WISH, idempotency_key="wish")
    assert await site.call(JONAS, "request_capability", **WISH, idempotency_key="wish") == first
    with pytest.raises(Refused, match="idempotency_conflict"):
        await site.call(JONAS, "request_capability", **{**WISH, "reason": "For fun."}, idempotency_key="wish")


async def test_another_answer_under_the_same_key_is_a_conflict(site: Site) -> None:
    """R40."""
    said = {"request_id": (await asked(site))["request_id"], "idempotency_key": "answer"}
    first = await site.call(MAYA, "answer_clarification", **said, answer="This")
    assert await site.call(MAYA, "answer_clarification", **said, answer="This") == first
    with pytest.raises(Refused, match="idempotency_conflict"):
        await site.call(MAYA, "answer_clarification", **said, answer="That")


async def test_nothing_is_asked_in_a_project_of_others(site: Site) -> None:
    await site.introduce("elsewhere", "tom/bot")
    for tool, said in (("request_capability", WISH), ("request_step", {"step": "Sign in."})):
        with pytest.raises(Refused, match="not_found") as refused:
            await site.call(JONAS, tool, **{**said, "project": "elsewhere"})
        assert refused.value.field == "project"


async def test_a_project_key_asks_and_answers_in_its_project_alone(site: Site) -> None:
    key = await site.issue(MAYA, "project", project=PROJECT)
    await site.introduce("intranet", MAYA, JONAS)
    other = await site.call(MAYA, "handoff", project="intranet", to=JONAS, **TASK)
    attempt = (await site.call(JONAS, "accept_task", task_id=other["task"]["task_id"]))["attempt"]
    named = {name: attempt[name] for name in ("task_id", "attempt_id")}
    elsewhere = (await site.call(JONAS, "request_clarification", **named, question="Which?"))["request"]
    here = await asked(site)
    shown = [request["request_id"] for request in (await site.call(key, "check_inbox"))["requests"]]
    assert here["request_id"] in shown
    assert elsewhere["request_id"] not in shown
    await site.call(key, "answer_clarification", request_id=here["request_id"], answer="This")
    with pytest.raises(Refused, match="not_found"):
        await site.call(key, "answer_clarification", request_id=elsewhere["request_id"], answer="This")


async def test_a_run_asks_without_naming_its_task_or_attempt_and_hears_the_decision(site: Site) -> None:
    await site.device("asker", [JONAS], [PROJECT])
    task_id = (await site.call(MAYA, "handoff", project=PROJECT, to=JONAS, **TASK))["task"]["task_id"]
    claimed = await site.call("asker", "claim_task", task_id=task_id, idempotency_key="asking")
    run = claimed["execution_credential"]["token"]
    assert {"request_capability", "request_step"} <= set(claimed["execution_credential"]["allowed_tools"])
    request = (await site.call(run, "request_step", project=PROJECT, step="Sign in.", blocks=True))["request"]
    assert (request["task_id"], request["blocks"]) == (task_id, True)
    assert (await site.call(run, "check_inbox"))["tasks"][0]["state"] == "waiting"
    waiting = await waiting_for(site, run, "request_decided")
    owner = Caller(kind="person", subject="jonas")
    decided = await site.hub.ask(DecideRequest(request_id=request["request_id"], decision="done"), owner)
    assert [update["request"] for update in (await waiting)["updates"]] == [decided.request.wire()]
    assert (await site.call(run, "check_inbox"))["tasks"][0]["state"] == "working"


@both_eras
async def test_a_preview_is_what_the_assignee_then_reads(site: Site, era: str) -> None:
    await site.hub.ask(WriteMemory(project=PROJECT, key="stack", value="Python 3.11"), "jonas")
    message = (await site.call(MAYA, "post_message", project=PROJECT, body="It happens on mobile."))["message"]
    context = {"memory_keys": ["stack"], "message_ids": [message["id"]], "files": ["src/form.ts"]}
    said = {"project": PROJECT, "to": JONAS, **TASK, "context": context}
    before = len((await site.call(MAYA, "read_room", project=PROJECT))["messages"])
    shown = await site.call(MAYA, "preview_packet", era=era, **said)
    assert len((await site.call(MAYA, "read_room", project=PROJECT))["messages"]) == before
    task_id = (await site.call(MAYA, "handoff", **said))["task"]["task_id"]
    [task] = (await site.call(JONAS, "check_inbox", task_id=task_id))["tasks"]
    assert shown["packet"] == task["packet"]
    assert [entry["value"] for entry in task["packet"]["context"]["memory"]] == ["Python 3.11"]
    assert (shown["may_take"], shown["why_not"], shown["left_out"]) == (True, None, [])


@pytest.mark.parametrize("tool", ["handoff", "preview_packet"])
async def test_a_missing_memory_entry_is_refused_with_its_place(site: Site, tool: str) -> None:
    await site.hub.ask(WriteMemory(project=PROJECT, key="stack", value="Python 3.11"), "jonas")
    context = {"memory_keys": ["stack", "nothing"]}
    with pytest.raises(Refused, match="not_found") as refused:
        await site.call(MAYA, tool, project=PROJECT, to=JONAS, **TASK, context=context)
    assert refused.value.field == "context.memory_keys[1]"
