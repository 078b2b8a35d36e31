"""Bad input over HTTP, for every tool: a clear refusal, never a crash, and nothing written (R48)."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import httpx
import orjson
import pytest

from libs.contracts.tools import TOOLS
from libs.contracts.tools.rights import RIGHTS
from tests.site import Refused, read_response, read_result
from tests.system.pair import HANDOFF, PROOF, Pair, both_eras

pytestmark = both_eras

PARSE_ERROR, INVALID_PARAMS = -32700, -32602
MARK = "zebra-crossing"
NOT_JSON = [
    b"NaN",
    b"Infinity",
    b"-Infinity",
    b"1e999",
    b"99999999999999999999",
    b'"\xff"',
    b"[" * 200 + b"]" * 200,
    b'{"a":' * 150 + b"1" + b"}" * 150,
    b"",
    b"'x'",
    b'"x',
]
NOT_TEXT = [rb'"\u0000"', rb'"a\ud800"']
NUMBERS = dict.fromkeys(("input_tokens", "output_tokens", "turns", "duration_ms", "exit_code"))
WRONG = {
    "string": [7, [MARK]],
    "integer": [MARK, 7.5, False],
    "number": [MARK, False],
    "boolean": [MARK, 1],
    "array": [MARK, {MARK: MARK}],
    "object": [MARK, [MARK]],
}


@pytest.fixture(autouse=True)
async def device(pair: Pair) -> None:
    """A device that runs bob's claude."""
    await pair.site.device(device_of(pair), [pair.bob], [pair.project])


def device_of(pair: Pair) -> str:
    """The device's name."""
    return f"laptop-of-{pair.project}"


def arguments_of(tool: str, named: dict[str, str], pair: Pair) -> dict[str, Any]:
    """Arguments with which the tool would do something."""
    project, task = {"project": pair.project}, {"task_id": named["task_id"]}
    return {
        "post_message": {**project, "body": f"@{pair.bob} hi"},
        "read_room": project,
        "get_project_context": project,
        "update_pulse": project,
        "handoff": {**project, "to": pair.ann, **HANDOFF},
        "preview_packet": {**project, "to": pair.ann, **HANDOFF},
        "accept_task": task,
        "checkpoint": {**named, "summary": "Half of it."},
        "return_result": {**named, "outcome": "done", "summary": "It works.", "evidence": [PROOF]},
        "accept_result": task,
        "reject_result": {**task, "reason": "No."},
        "cancel_task": {**task, "reason": "No."},
        "request_clarification": {**named, "question": "Which?"},
        "answer_clarification": {"request_id": "req_1", "answer": "This."},
        "request_capability": {**project, "capability": "network:pypi", "reason": "To install."},
        "request_step": {**project, "step": "Sign in."},
        "claim_task": {**task, "idempotency_key": "run-1"},
        "claim_discussion": {**project, "message_id": "msg_1", "idempotency_key": "talk-1"},
        "report_run": {**project, **task, "run_id": str(uuid4()), **NUMBERS},
    }.get(tool, {})


async def everything(pair: Pair) -> list[Any]:
    """What there is of messages, tasks, pulses and mailbox entries."""
    context = await pair.call(pair.ann, "get_project_context", project=pair.project)
    updates = [(await pair.wait(agent, "wait_for_updates"))["updates"] for agent in (pair.ann, pair.bob)]
    said = [{name: pulse[name] for name in ("doing", "updated_at", "files")} for pulse in context["pulse"]]
    return [await pair.messages(), await pair.call(pair.ann, "check_inbox"), updates, said]


async def send(pair: Pair, tool: str, content: bytes) -> httpx.Response:
    """A call of bob, or of the device where only that may call the tool, whose body is `content`."""
    by = pair.bob if "client" in RIGHTS.get(tool, ("client",)) else device_of(pair)
    answer = await pair.site.post(by, "tools/call", {"name": tool}, era=pair.era, content=content)
    assert answer.status_code < 500
    return answer


def body_of(pair: Pair, tool: str, arguments: dict[str, Any]) -> bytes:
    """The body of a call."""
    return pair.site.request(pair.bob, "tools/call", {"name": tool, "arguments": arguments}, era=pair.era)[0]


def refusal_in(tool: str, answer: httpx.Response) -> Refused:
    """The refusal in an answer, which repeats nothing of what was sent."""
    assert MARK not in answer.text
    with pytest.raises(Refused) as refused:
        read_result(tool, answer)
    return refused.value


async def test_what_is_no_json_is_a_parse_error_for_every_tool(pair: Pair) -> None:
    before = await everything(pair)
    for tool in TOOLS:
        for raw in NOT_JSON:
            content = body_of(pair, tool, {"project": MARK}).replace(b'"%s"' % MARK.encode(), raw)
            answer = await send(pair, tool, content)
            assert (answer.status_code, answer.json()["error"]["code"]) == (400, PARSE_ERROR), raw[:20]
    assert await everything(pair) == before


async def test_text_that_cannot_be_stored_is_refused_with_its_field(pair: Pair) -> None:
    named = await pair.take()
    before = await everything(pair)
    for tool, known in TOOLS.items():
        arguments = arguments_of(tool, named, pair)
        for name in known.input_schema["properties"]:
            for raw in NOT_TEXT:
                content = body_of(pair, tool, {**arguments, name: MARK}).replace(b'"%s"' % MARK.encode(), raw)
                refusal = refusal_in(tool, await send(pair, tool, content))
                assert (refusal.code, refusal.field) == ("invalid_input", name), tool
    assert await everything(pair) == before


async def test_values_of_wrong_types_are_refused_with_their_field(pair: Pair) -> None:
    named = await pair.take()
    before = await everything(pair)
    for tool, known in TOOLS.items():
        arguments = arguments_of(tool, named, pair)
        for name, schema in known.input_schema["properties"].items():
            for wrong in WRONG[type_of(schema)]:
                answer = await send(pair, tool, body_of(pair, tool, {**arguments, name: wrong}))
                refusal = refusal_in(tool, answer)
                assert (refusal.code, refusal.field) == ("invalid_input", name), (tool, wrong)
    assert await everything(pair) == before


def type_of(schema: dict[str, Any]) -> str:
    """The type that a field has unless it is null."""
    branches = [schema, *schema.get("anyOf", [])]
    types = [branch["type"] for branch in branches if "type" in branch]
    return next(name for name in types if name != "null")


async def test_what_is_required_is_named_when_it_is_missing(pair: Pair) -> None:
    named = await pair.take()
    before = await everything(pair)
    for tool, known in TOOLS.items():
        for name in known.input_schema.get("required", []):
            arguments = arguments_of(tool, named, pair)
            del arguments[name]
            refusal = refusal_in(tool, await send(pair, tool, body_of(pair, tool, arguments)))
            assert (refusal.code, refusal.field) == ("invalid_input", name), tool
    assert await everything(pair) == before


async def test_arguments_that_are_no_object_are_invalid(pair: Pair) -> None:
    for tool in TOOLS:
        for wrong in ([], "x", 7):
            body = orjson.loads(body_of(pair, tool, {}))
            body["params"]["arguments"] = wrong
            answer = await send(pair, tool, orjson.dumps(body))
            assert read_response(answer)["error"]["code"] == INVALID_PARAMS, tool


async def test_a_body_of_ten_megabytes_is_too_large_for_every_tool(pair: Pair) -> None:
    before = await everything(pair)
    for tool in TOOLS:
        content = body_of(pair, tool, {"project": "x" * 10_000_000})
        assert (await send(pair, tool, content)).status_code == 413
    assert await everything(pair) == before


async def test_a_tool_that_does_not_exist_is_an_invalid_call(pair: Pair) -> None:
    for name in (MARK, "claim", "postMessage", "../post_message", "__init__"):
        answer = await send(pair, name, body_of(pair, name, {}))
        assert answer.json()["error"]["code"] == INVALID_PARAMS
        assert MARK not in answer.text


async def refuses_each(pair: Pair, calls: list[tuple[str, str, dict[str, Any], str]]) -> None:
    """Each call of an agent is `not_found` with the field, and writes nothing."""
    before = await everything(pair)
    for by, tool, arguments, field in calls:
        assert await pair.refusal(tool, by=by, **arguments) == ("not_found", field), tool
    assert await everything(pair) == before


async def test_messages_and_projects_of_others_are_not_found_wherever_they_are_named(pair: Pair) -> None:
    """R1: each of them exists."""
    other = await Pair.meet(pair.site)
    message, theirs, mine = await other.mention_bob(), await other.take(), await pair.take()
    said = {"project": pair.project, "body": "hi"}
    handed = {**arguments_of("handoff", mine, pair), "context": {"message_ids": [message]}}
    asked = {"capability": "x", "reason": "hi"}
    calls = [
        ("post_message", {**said, "in_reply_to": message}, "in_reply_to"),
        ("post_message", {**said, "task_id": theirs["task_id"]}, "task_id"),
        ("post_message", {**said, "project": other.project}, "project"),
        ("handoff", handed, "context.message_ids[0]"),
        ("preview_packet", handed, "context.message_ids[0]"),
        ("request_step", {"project": other.project, "step": "Sign in."}, "project"),
        ("request_capability", {"project": other.project, **asked}, "project"),
        ("update_pulse", {"project": other.project, "doing": "hi"}, "project"),
        ("read_room", {"project": other.project}, "project"),
        ("get_project_context", {"project": other.project}, "project"),
    ]
    await refuses_each(pair, [(pair.bob, *call) for call in calls])
    cursor = {"project": pair.project, "cursor": message}
    assert await pair.refusal("read_room", **cursor) == ("bad_cursor", "cursor")


async def test_tasks_results_and_requests_of_others_are_not_found_wherever_they_are_named(pair: Pair) -> None:
    """R1: each of them exists."""
    other = await Pair.meet(pair.site)
    theirs, asking, mine = await other.take(), await other.take(), await pair.take()
    question = await other.call(other.bob, "request_clarification", **asking, question="Which?")
    request = question["request"]["request_id"]
    result = (await other.finish(theirs))["result"]["result_id"]
    await pair.finish(mine)
    calls = [
        (pair.bob, "checkpoint", {**theirs, "summary": "hi"}, "task_id"),
        (pair.bob, "checkpoint", {**mine, "attempt_id": theirs["attempt_id"], "summary": "hi"}, "attempt_id"),
        (pair.ann, "accept_result", {"task_id": mine["task_id"], "result_id": result}, "result_id"),
        (pair.ann, "answer_clarification", {"request_id": request, "answer": "This."}, "request_id"),
        (pair.bob, "request_clarification", {**asking, "question": "Which?"}, "task_id"),
        (pair.bob, "request_step", {**asking, "project": pair.project, "step": "Sign in."}, "task_id"),
    ]
    await refuses_each(pair, calls)
