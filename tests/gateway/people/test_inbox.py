"""The inbox and the word on requests over HTTP: what awaits a person, and nobody else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.harness import until
from tests.site import Site

SERVICES = ("rooms", "tasks")
Calling = Callable[..., httpx.AsyncClient]
WISH = {"project": "garden", "title": "Dig", "objective": "Dig a hole.", "acceptance": ["A hole"]}
EMPTY: dict[str, list[Any]] = {"reviews": [], "tasks": [], "requests": [], "proposals": []}

pytestmark = pytest.mark.usefixtures("garden")


async def asked(town: Site, capability: str) -> str:
    """A request of maya/codex for a capability."""
    wish = {"project": "garden", "capability": capability, "reason": "To dig"}
    request_id: str = (await town.call("maya/codex", "request_capability", **wish))["request"]["request_id"]
    return request_id


async def test_all_that_awaits_a_person_is_in_the_inbox(town: Site, calling: Calling) -> None:
    maya = calling("maya")
    outside = (await town.call("jonas/claude", "handoff", to="maya/codex", **WISH))["task"]["task_id"]
    request_id = await asked(town, "shovel")
    mine = (await maya.post("/tasks", json={**WISH, "to": "jonas/claude"})).json()["task"]["task_id"]
    attempt = (await town.call("jonas/claude", "accept_task", task_id=mine))["attempt"]["attempt_id"]
    result = {"outcome": "partial", "summary": "Half.", "memory_proposals": [{"key": "soil", "value": "Clay."}]}
    await town.call("jonas/claude", "return_result", task_id=mine, attempt_id=attempt, **result)

    async def proposal_arrived() -> bool:
        return bool((await maya.get("/inbox")).json()["proposals"])

    await until(proposal_arrived)
    inbox = (await maya.get("/inbox")).json()
    assert [review["task"]["task_id"] for review in inbox["reviews"]] == [mine]
    assert [task["task_id"] for task in inbox["tasks"]] == [outside]
    assert [request["request_id"] for request in inbox["requests"]] == [request_id]
    assert [proposal["key"] for proposal in inbox["proposals"]] == ["soil"]


async def test_what_awaits_others_is_not_in_it(town: Site, calling: Calling) -> None:
    await asked(town, "wheelbarrow")
    assert (await calling("rosa").get("/inbox")).json() == EMPTY
    assert (await calling("jonas").get("/inbox")).json()["requests"] == []
    assert (await calling("operator").get("/inbox")).json() == EMPTY


@pytest.mark.parametrize(
    ("said", "status"),
    [({"decision": "approve"}, "approved"), ({"decision": "deny", "reason": "Not today"}, "denied")],
)
async def test_an_owner_decides_a_request_and_it_awaits_nobody_any_more(
    town: Site, calling: Calling, said: dict[str, str], status: str
) -> None:
    maya, request_id = calling("maya"), await asked(town, "rake")
    decided = await maya.post(f"/requests/{request_id}/decision", json=said)
    assert decided.status_code == 200
    request = decided.json()["request"]
    assert (request["status"], request["decided_by"], request["answer"]) == (status, "maya", said.get("reason"))
    pending = (await maya.get("/requests")).json()["requests"]
    assert request_id not in [one["request_id"] for one in pending]
    (known, *_) = (await maya.get("/requests", params={"statuses": status})).json()["requests"]
    assert known == request


async def test_requests_are_paged(town: Site, calling: Calling) -> None:
    made = [await asked(town, f"tool {number}") for number in range(3)]
    first = (await calling("maya").get("/requests", params={"limit": 2})).json()
    rest = (await calling("maya").get("/requests", params={"limit": 2, "after": first["last"]})).json()
    found = [one["request_id"] for one in first["requests"] + rest["requests"]]
    assert found[:3] == made[::-1]


async def test_nobody_but_the_owner_decides(town: Site, calling: Calling) -> None:
    request_id = await asked(town, "ladder")
    for who, status in (("jonas", {403, 404}), ("rosa", {404}), ("operator", {403, 404})):
        refused = await calling(who).post(f"/requests/{request_id}/decision", json={"decision": "approve"})
        assert refused.status_code in status
    pending = (await calling("maya").get("/requests")).json()["requests"]
    assert request_id in [one["request_id"] for one in pending]


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({}, "decision"),
        ({"decision": "perhaps"}, "decision"),
        ({"decision": "done"}, "decision"),
        ({"decision": "deny"}, "reason"),
        ({"decision": "approve", "expires_at": "tomorrow"}, "expires_at"),
        ({"decision": "approve", "expires_at": "2020-01-01T00:00:00Z"}, "expires_at"),
    ],
)
async def test_a_wrong_decision_names_its_field(town: Site, calling: Calling, said: dict[str, str], field: str) -> None:
    request_id = await asked(town, "spade")
    refused = await calling("maya").post(f"/requests/{request_id}/decision", json=said)
    assert (refused.status_code, refused.json()["error"]["field"]) == (400, field)


async def test_a_person_answers_a_question_about_a_task_and_it_goes_on(town: Site, calling: Calling) -> None:
    """R7."""
    maya = calling("maya")
    task_id = (await maya.post("/tasks", json={**WISH, "to": "jonas/claude"})).json()["task"]["task_id"]
    attempt = (await town.call("jonas/claude", "accept_task", task_id=task_id))["attempt"]["attempt_id"]
    question = {"task_id": task_id, "attempt_id": attempt, "question": "How deep?"}
    request_id = (await town.call("jonas/claude", "request_clarification", **question))["request"]["request_id"]
    assert request_id in [one["request_id"] for one in (await maya.get("/inbox")).json()["requests"]]
    answered = await maya.post(f"/requests/{request_id}/answer", json={"answer": "A metre."})
    assert (answered.status_code, answered.json()["request"]["answer"]) == (200, "A metre.")
    assert (await maya.get(f"/tasks/{task_id}")).json()["state"] == "working"
