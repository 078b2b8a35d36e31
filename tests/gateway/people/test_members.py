"""Teams, people, agents, projects and members over HTTP."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest

SERVICES = ("rooms",)
Calling = Callable[..., httpx.AsyncClient]


async def test_the_operator_creates_a_team_and_its_people(calling: Calling) -> None:
    operator = calling("operator")
    assert (await operator.post("/teams", json={"slug": "wasps"})).status_code == 201
    created = await operator.post("/people", json={"handle": "lea", "team": "wasps", "display_name": "Lea"})
    assert created.status_code == 201
    assert created.json()["team"] == "wasps"
    assert "wasps" in [team["slug"] for team in (await operator.get("/teams")).json()["teams"]]
    assert "lea" in [person["handle"] for person in (await operator.get("/people")).json()["people"]]


async def test_a_person_creates_changes_and_removes_an_agent(calling: Calling) -> None:
    maya = calling("maya")
    created = await maya.post("/agents", json={"agent_id": "maya/gemini", "display_name": "Gemini"})
    assert (created.status_code, created.json()["capabilities"]) == (201, [])
    changed = await maya.patch("/agents/maya/gemini", json={"takes_tasks_from": "team", "capabilities": ["css"]})
    assert changed.status_code == 200
    assert (changed.json()["display_name"], changed.json()["capabilities"]) == ("Gemini", ["css"])
    assert (await maya.delete("/agents/maya/gemini")).status_code == 204
    assert "maya/gemini" not in (await maya.get("/agents")).text
    assert (await maya.post("/agents", json={"agent_id": "maya/gemini", "display_name": "G"})).status_code == 409


async def test_agents_are_refused(calling: Calling) -> None:
    for path in ("/people", "/agents", "/projects"):
        refused = await calling("maya/codex").get(path)
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "forbidden")


async def test_a_project_gets_members_and_memory(calling: Calling) -> None:
    """The gateway adds what the directory knows; rooms decides."""
    operator, maya, jonas = calling("operator"), calling("maya"), calling("jonas")
    wanted = {"slug": "website-v2", "owner": "maya", "name": "Website", "description": "The new one."}
    created = await operator.post("/projects", json=wanted)
    assert (created.status_code, created.json()["project"]["team"]) == (201, "ants")
    for address, name in (("maya/codex", "Codex"), ("jonas", "Jonas")):
        added = await maya.put(f"/projects/website-v2/members/{address}")
        assert added.status_code == 200
        assert (address, name) in [(one["address"], one["display_name"]) for one in added.json()["members"]]
    written = await jonas.put("/projects/website-v2/memory/stack/css", json={"value": "Plain CSS."})
    assert written.json()["entry"]["key"] == "stack/css"
    assert written.json()["entry"]["provenance"] == "owner_instruction"
    assert (await maya.get("/projects/website-v2")).json()["memory"][0]["updated_by"] == "jonas"
    assert [found["project"]["slug"] for found in (await jonas.get("/projects")).json()["projects"]] == ["website-v2"]
    assert (await maya.delete("/projects/website-v2/members/jonas")).status_code == 204
    assert (await jonas.get("/projects/website-v2")).status_code == 404


async def test_somebody_the_caller_may_not_see_is_not_found(calling: Calling) -> None:
    await calling("operator").post("/projects", json={"slug": "garden", "owner": "maya", "name": "Garden"})
    for address in ("rosa", "nobody", "maya/nobody"):
        refused = await calling("maya").put(f"/projects/garden/members/{address}")
        assert (refused.status_code, refused.json()["error"]["field"]) == (404, "address")
    assert (await calling("rosa").get("/projects/garden")).status_code == 404
    assert (await calling("rosa").patch("/agents/maya/codex", json={"display_name": "X"})).status_code == 404


async def test_a_project_needs_an_owner_who_exists(calling: Calling) -> None:
    refused = await calling("operator").post("/projects", json={"slug": "moon", "owner": "nobody", "name": "Moon"})
    assert (refused.status_code, refused.json()["error"]["field"]) == (404, "owner")


@pytest.mark.parametrize("slug", ["all", "operator"])
async def test_reserved_slugs_are_refused(calling: Calling, slug: str) -> None:
    operator = calling("operator")
    for path, body in (
        ("/teams", {"slug": slug}),
        ("/people", {"handle": slug, "team": "ants", "display_name": "X"}),
        ("/projects", {"slug": slug, "owner": "maya", "name": "X"}),
    ):
        refused = await operator.post(path, json=body)
        assert (refused.status_code, refused.json()["error"]["code"]) == (400, "invalid_input")
