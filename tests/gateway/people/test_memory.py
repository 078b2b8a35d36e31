"""Memory over HTTP: written, deleted, proposed, decided and exported (R17)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.harness import until
from tests.site import Site

SERVICES = ("rooms", "tasks")
Calling = Callable[..., httpx.AsyncClient]
MEMORY = "/projects/garden/memory"
PROPOSALS = "/projects/garden/proposals"

pytestmark = pytest.mark.usefixtures("garden")


async def proposed(town: Site, calling: Calling, *proposals: dict[str, str]) -> list[dict[str, Any]]:
    """What a result of jonas/claude proposes, as maya sees it pending."""
    maya = calling("maya")
    wish = {"title": "Dig", "objective": "Dig.", "acceptance": ["A hole"]}
    task = (await maya.post("/tasks", json={"project": "garden", "to": "jonas/claude", **wish})).json()["task"]
    attempt = (await town.call("jonas/claude", "accept_task", task_id=task["task_id"]))["attempt"]["attempt_id"]
    about = {"task_id": task["task_id"], "attempt_id": attempt, "outcome": "partial", "summary": "Dug."}
    await town.call("jonas/claude", "return_result", **about, memory_proposals=list(proposals))
    found: list[dict[str, Any]] = []

    async def listed() -> bool:
        pending = (await maya.get(PROPOSALS)).json()["proposals"]
        found[:] = [one for one in pending if one["task_id"] == task["task_id"]]
        return len(found) == len(proposals)

    await until(listed)
    return found


async def test_an_entry_is_written_rewritten_and_deleted_and_its_history_kept(calling: Calling) -> None:
    maya, jonas = calling("maya"), calling("jonas")
    await maya.put(f"{MEMORY}/soil/kind", json={"value": "Clay."})
    await jonas.put(f"{MEMORY}/soil/kind", json={"value": "Sand."})
    deleted = await maya.delete(f"{MEMORY}/soil/kind")
    assert (deleted.status_code, deleted.json()["entry"]["value"]) == (200, "Sand.")
    assert "soil/kind" not in [entry["key"] for entry in (await maya.get("/projects/garden")).json()["memory"]]
    history = (await jonas.get(f"{MEMORY}/soil/kind/history")).json()
    assert [(one["value"], one["updated_by"], one["ended_by"]) for one in history["versions"]] == [
        ("Sand.", "jonas", "maya"),
        ("Clay.", "maya", "jonas"),
    ]


async def test_a_key_that_ends_like_a_path_has_a_history_of_its_own(calling: Calling) -> None:
    await calling("maya").put(f"{MEMORY}/well/history", json={"value": "Dug in 1901."})
    history = await calling("maya").get(f"{MEMORY}/well/history/history")
    assert (history.status_code, history.json()["key"]) == (200, "well/history")


async def test_a_key_of_two_lines_is_found_like_any_other(calling: Calling) -> None:
    """An agent may have proposed it."""
    maya = calling("maya")
    assert (await maya.put(f"{MEMORY}/two%0Alines", json={"value": "Dug twice."})).status_code == 200
    assert (await maya.get(f"{MEMORY}/two%0Alines/history")).json()["key"] == "two\nlines"
    assert (await maya.delete(f"{MEMORY}/two%0Alines")).is_success


async def test_a_person_approves_edits_and_rejects_what_agents_propose(town: Site, calling: Calling) -> None:
    maya = calling("maya")
    wanted = [{"key": f"bed/{number}", "value": f"Bed {number}."} for number in range(3)]
    as_it_is, edited, rejected = [one["proposal_id"] for one in await proposed(town, calling, *wanted)]
    for proposal_id, decision in (
        (as_it_is, {"decision": "approve"}),
        (edited, {"decision": "approve", "value": "Edited."}),
        (rejected, {"decision": "reject", "reason": "Guessed"}),
    ):
        assert (await maya.post(f"{PROPOSALS}/{proposal_id}/decision", json=decision)).status_code == 200
    memory = {entry["key"]: entry for entry in (await maya.get("/projects/garden")).json()["memory"]}
    assert (memory["bed/0"]["value"], memory["bed/1"]["value"]) == ("Bed 0.", "Edited.")
    assert memory["bed/0"]["provenance"] == "owner_approved"
    assert "bed/2" not in memory
    assert (await maya.get(PROPOSALS)).json()["proposals"] == []
    (refused,) = (await maya.get(PROPOSALS, params={"status": "rejected"})).json()["proposals"]
    assert (refused["reason"], refused["decided_by"]) == ("Guessed", "maya")


async def test_a_decision_that_is_none_is_refused_by_field(town: Site, calling: Calling) -> None:
    (proposal,) = await proposed(town, calling, {"key": "a", "value": "b"})
    path = f"{PROPOSALS}/{proposal['proposal_id']}/decision"
    for body in ({}, {"decision": "perhaps"}):
        refused = await calling("maya").post(path, json=body)
        assert (refused.status_code, refused.json()["error"]["field"]) == (400, "decision")


async def test_outsiders_see_and_decide_nothing(town: Site, calling: Calling) -> None:
    (proposal,) = await proposed(town, calling, {"key": "secret", "value": "Ours."})
    rosa = calling("rosa")
    for answer in (
        await rosa.get(MEMORY),
        await rosa.get(PROPOSALS),
        await rosa.get(f"{MEMORY}/soil/kind/history"),
        await rosa.delete(f"{MEMORY}/soil/kind"),
        await rosa.post(f"{PROPOSALS}/{proposal['proposal_id']}/decision", json={"decision": "approve"}),
    ):
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")


async def test_memory_is_exported_whole_as_json_and_as_a_page(calling: Calling) -> None:
    maya = calling("maya")
    await maya.put(f"{MEMORY}/paths/*width*", json={"value": "One metre."})
    await maya.put(f"{MEMORY}/paths/*width*", json={"value": "# Two\nmetres."})
    exported = (await maya.get(MEMORY)).json()
    (entry,) = [one for one in exported["entries"] if one["key"] == "paths/*width*"]
    assert [version["value"] for version in entry["versions"]] == ["# Two\nmetres.", "One metre."]
    page = await maya.get(MEMORY, params={"format": "markdown"})
    assert page.headers["content-type"].startswith("text/markdown")
    section = page.text.split("## paths/\\*width\\*\n\n")[1].split("\n## ")[0]
    stands, by, before, former, until_then = section.strip().split("\n\n")
    assert (stands, before, former) == ("> # Two\n> metres.", "Before:", "> One metre.")
    assert by.startswith("— owner instruction by maya, ")
    assert until_then.endswith("(maya)")


async def test_a_page_of_another_format_is_refused(calling: Calling) -> None:
    refused = await calling("maya").get(MEMORY, params={"format": "pdf"})
    assert (refused.status_code, refused.json()["error"]["field"]) == (400, "format")
