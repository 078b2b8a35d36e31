"""Tasks over HTTP: an owner reads what awaits an allowance, and allows or refuses it (R2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from services.gateway.people.inbox import PAGE
from tests.site import Site

SERVICES = ("rooms", "tasks")
Calling = Callable[..., httpx.AsyncClient]
WAITING = "/tasks/waiting"
WISH = {"project": "garden", "to": "jonas/claude", "title": "Dig", "objective": "Dig a hole.", "acceptance": ["A hole"]}

pytestmark = pytest.mark.usefixtures("garden")


async def handed_off(town: Site, title: str) -> str:
    """A task that awaits maya's word."""
    wanted = {"project": "garden", "to": "maya/codex", "title": title, "objective": "Water it.", "acceptance": ["Wet"]}
    task = (await town.call("jonas/claude", "handoff", **wanted))["task"]
    assert task["state"] == "awaiting_owner"
    return str(task["task_id"])


def ids(page: dict[str, Any]) -> list[str]:
    return [task["task_id"] for task in page["tasks"]]


async def test_an_owner_lists_what_awaits_their_word_and_reads_each_whole(town: Site, calling: Calling) -> None:
    maya = calling("maya")
    tasks = [await handed_off(town, f"Bed {number}") for number in range(3)]
    assert ids((await maya.get(WAITING)).json()) == tasks[::-1]
    (whole,) = (await maya.get(f"/tasks?task_id={tasks[0]}")).json()["tasks"]
    assert whole["packet"]["objective"] == "Water it."
    for other in ("jonas", "rosa"):
        assert (await calling(other).get(WAITING)).json() == {"tasks": []}


async def test_more_than_a_page_of_waiting_tasks_is_listed_at_once(town: Site, calling: Calling) -> None:
    tasks = [await handed_off(town, f"Row {number}") for number in range(PAGE + 1)]
    assert set(tasks) <= set(ids((await calling("maya").get(WAITING)).json()))


async def test_tasks_are_paged(town: Site, calling: Calling) -> None:
    tasks = [await handed_off(town, f"Pot {number}") for number in range(3)]
    asked = "/tasks?role=owner&states=awaiting_owner&states=requested&limit=2"
    first = (await calling("maya").get(asked)).json()
    rest = (await calling("maya").get(f"{asked}&cursor={first['next_cursor']}")).json()
    assert (ids(first) + ids(rest))[:3] == tasks[::-1]


async def test_an_allowed_task_is_requested_and_a_refused_one_declined_with_the_reason(
    town: Site, calling: Calling
) -> None:
    maya = calling("maya")
    allowed, refused = await handed_off(town, "Allowed"), await handed_off(town, "Refused")
    answer = await maya.post(f"/tasks/{allowed}/allow")
    assert (answer.status_code, answer.json()["task"]["state"]) == (200, "requested")
    answer = await maya.post(f"/tasks/{refused}/refuse", json={"reason": "Not in winter"})
    assert answer.status_code == 200
    assert (answer.json()["task"]["state"], answer.json()["task"]["note"]) == ("declined", "Not in winter")
    assert not {allowed, refused} & set(ids((await maya.get(WAITING)).json()))


async def test_nobody_but_the_owner_decides(town: Site, calling: Calling) -> None:
    task_id = await handed_off(town, "Mine")
    for who, status in (("jonas", 403), ("rosa", 404), ("maya/codex", 403)):
        for decision in ("allow", "refuse"):
            assert (await calling(who).post(f"/tasks/{task_id}/{decision}")).status_code == status
    assert task_id in ids((await calling("maya").get(WAITING)).json())


async def test_a_person_hands_a_task_off_reads_it_whole_and_cancels_it(town: Site, calling: Calling) -> None:
    maya = calling("maya")
    handed = await maya.post("/tasks", json=WISH)
    assert handed.status_code == 201
    task, message = handed.json()["task"], handed.json()["message"]
    assert (task["requester"], task["state"], message["author"]["handle"]) == ("maya", "requested", "maya")
    assert (await maya.get(f"/tasks/{task['task_id']}")).json()["packet"]["acceptance"] == ["A hole"]
    ended = await maya.post(f"/tasks/{task['task_id']}/cancel", json={"reason": "It rains"})
    assert (ended.json()["task"]["state"], ended.json()["task"]["note"]) == ("cancelled", "It rains")
    assert (await calling("rosa").get(f"/tasks/{task['task_id']}")).status_code == 404
    assert (await calling("rosa").post(f"/tasks/{task['task_id']}/accept")).status_code == 404


async def test_a_person_rejects_a_result_with_a_reason_and_accepts_the_next(town: Site, calling: Calling) -> None:
    """R6, R16."""
    maya = calling("maya")
    task_id = (await maya.post("/tasks", json=WISH)).json()["task"]["task_id"]
    await returned(town, task_id)
    unsaid = await maya.post(f"/tasks/{task_id}/reject")
    assert (unsaid.status_code, unsaid.json()["error"]["field"]) == (400, "reason")
    rejected = (await maya.post(f"/tasks/{task_id}/reject", json={"reason": "Too small"})).json()
    assert (rejected["task"]["state"], rejected["result"]["review"]["note"]) == ("requested", "Too small")
    await returned(town, task_id)
    accepted = await maya.post(f"/tasks/{task_id}/accept", json={"note": "Deep"})
    assert (accepted.status_code, accepted.json()["task"]["state"]) == (200, "accepted")


async def returned(town: Site, task_id: str) -> None:
    """A result of jonas/claude for a task that it takes."""
    attempt = (await town.call("jonas/claude", "accept_task", task_id=task_id))["attempt"]["attempt_id"]
    proof = [{"kind": "note", "ref": "Look."}]
    done = {"outcome": "done", "summary": "Dug.", "evidence": proof}
    await town.call("jonas/claude", "return_result", task_id=task_id, attempt_id=attempt, **done)


async def test_a_repeated_handoff_with_the_same_key_is_the_same_task(calling: Calling) -> None:
    """R40."""
    maya = calling("maya")
    first, again = [await maya.post("/tasks", json={**WISH, "idempotency_key": "dig"}) for _ in range(2)]
    assert first.json() == again.json()
    other = await maya.post("/tasks", json={**WISH, "title": "Dig more", "idempotency_key": "dig"})
    assert (other.status_code, other.json()["error"]["code"]) == (409, "idempotency_conflict")


@pytest.mark.parametrize("query", ["states=lost", "limit=0", "limit=many", "role=boss"])
async def test_a_wrong_query_is_refused_by_field(calling: Calling, query: str) -> None:
    refused = await calling("maya").get(f"/tasks?{query}")
    assert (refused.status_code, refused.json()["error"]["field"].partition("[")[0]) == (400, query.partition("=")[0])
