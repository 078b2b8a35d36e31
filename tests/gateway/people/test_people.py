"""Removing a person over HTTP: with all that is theirs, by the operator alone."""

from __future__ import annotations

from collections.abc import Callable

import httpx

from tests.harness import until
from tests.site import Site

SERVICES = ("rooms", "tasks")
Calling = Callable[..., httpx.AsyncClient]


async def test_nobody_but_the_operator_removes_people(garden: Site, calling: Calling) -> None:
    for who in ("maya", "jonas", "rosa"):
        refused = await calling(who).delete("/people/jonas")
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "forbidden")
    missing = await calling("operator").delete("/people/nobody")
    assert (missing.status_code, missing.json()["error"]["code"]) == (404, "not_found")


async def test_a_removed_person_is_gone_with_agents_and_keys_on_every_gateway(garden: Site, calling: Calling) -> None:
    """R46."""
    operator, jonas = calling("operator"), calling("jonas")
    assert (await jonas.get("/inbox")).status_code == 200
    removed = await operator.delete("/people/jonas")
    assert (removed.status_code, removed.content) == (204, b"")
    assert (await jonas.get("/inbox")).status_code == 401
    assert "jonas" not in [person["handle"] for person in (await operator.get("/people")).json()["people"]]
    assert "jonas/claude" not in [agent["agent_id"] for agent in (await operator.get("/agents")).json()["agents"]]

    async def left_the_project() -> bool:
        members = (await operator.get("/projects/garden")).json()["members"]
        return [member["address"] for member in members] == ["maya", "maya/codex"]

    await until(left_the_project)
    again = {"handle": "jonas", "team": "ants", "display_name": "Jonas"}
    assert (await operator.post("/people", json=again)).status_code == 409
