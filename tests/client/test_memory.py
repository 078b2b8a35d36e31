"""`prickle memory` against a real site."""

from __future__ import annotations

from typing import Any

import pytest

from tests.client.prickle_command import Prickle
from tests.harness import until
from tests.site import Site

SERVICES = ("rooms", "tasks")


@pytest.fixture(scope="module")
async def garden(site: Site) -> Site:
    """Maya's and jonas's agents in one project."""
    await site.introduce("garden", "maya/codex", "jonas/claude")
    return site


@pytest.fixture
def prickle(garden: Site) -> Prickle:
    """Commands of maya."""
    return Prickle(garden)


async def proposed(prickle: Prickle, key: str) -> str:
    """A proposal of jonas/claude."""
    wish = {"project": "garden", "title": "Dig", "objective": "Dig.", "acceptance": ["A hole"]}
    call = prickle.site.call
    task_id = (await call("maya/codex", "handoff", to="jonas/claude", **wish))["task"]["task_id"]
    attempt = (await call("jonas/claude", "accept_task", task_id=task_id))["attempt"]["attempt_id"]
    result: dict[str, Any] = {
        "outcome": "partial",
        "summary": "Dug.",
        "memory_proposals": [{"key": key, "value": "Clay."}],
    }
    await call("jonas/claude", "return_result", task_id=task_id, attempt_id=attempt, **result)

    async def found() -> str | None:
        proposals = await prickle.says("memory", "proposals", "garden")
        return next((one["proposal_id"] for one in proposals if one["key"] == key), None)

    proposal_id: str = await until(found)
    return proposal_id


async def test_entries_are_set_listed_and_deleted_and_their_history_stays(prickle: Prickle) -> None:
    await prickle.shows("memory", "set", "garden", "soil/kind", "Clay.")
    await prickle.shows("memory", "set", "garden", "soil/kind", "Sand.", by="jonas")
    (line,) = [one for one in (await prickle.shows("memory", "list", "garden")).splitlines() if "soil/kind" in one]
    assert line.split()[:4] == ["soil/kind", "Sand.", "owner_instruction", "jonas"]
    assert await prickle.shows("memory", "delete", "garden", "soil/kind") == "Deleted; its history is kept.\n"
    assert "soil/kind" not in await prickle.shows("memory", "list", "garden")
    titles, sand, clay = (await prickle.shows("memory", "history", "garden", "soil/kind")).splitlines()
    assert titles.startswith("from (UTC)")
    assert [line.split()[4] for line in (sand, clay)] == ["Sand.", "Clay."]


async def test_proposals_are_approved_edited_and_rejected(prickle: Prickle) -> None:
    as_it_is, edited, rejected = [await proposed(prickle, key) for key in ("pond", "path", "moat")]
    assert "pond" in await prickle.shows("memory", "approve", "garden", as_it_is)
    assert "One metre." in await prickle.shows("memory", "approve", "garden", edited, "--value", "One metre.")
    assert await prickle.shows("memory", "reject", "garden", rejected, "Guessed") == "Rejected.\n"
    memory = {entry["key"]: entry for entry in await prickle.says("memory", "list", "garden")}
    assert (memory["pond"]["value"], memory["path"]["value"], "moat" in memory) == ("Clay.", "One metre.", False)
    assert await prickle.shows("memory", "proposals", "garden") == "No proposal awaits a decision.\n"


async def test_an_approved_proposal_names_what_it_rests_on(prickle: Prickle) -> None:
    await prickle.shows("memory", "set", "garden", "rule", "No machines.")
    decided = await prickle.says("memory", "approve", "garden", await proposed(prickle, "tools"), "--rests-on", "rule")
    assert decided["entry"]["provenance"] == "from_approved_context"
    missing = await proposed(prickle, "more-tools")
    await prickle.refuses("memory", "approve", "garden", missing, "--rests-on", "no-such-rule")


async def test_memory_is_exported_as_a_page_or_as_json(prickle: Prickle) -> None:
    await prickle.shows("memory", "set", "garden", "gate", "Is [open].")
    page = await prickle.shows("memory", "export", "garden")
    assert page.startswith("# Memory of garden\n")
    assert "## gate\n\n> Is [open].\n" in page
    exported = await prickle.says("memory", "export", "garden")
    assert "gate" in [entry["key"] for entry in exported["entries"]]


async def test_a_memory_of_others_is_refused(prickle: Prickle) -> None:
    for command in (["list", "shed"], ["export", "shed"], ["history", "garden", "no-such-key"]):
        await prickle.refuses("memory", *command)
