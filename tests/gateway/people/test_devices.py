"""Devices over HTTP: registered, linked, given keys, removed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.site import Site

SERVICES = ("rooms",)
GATEWAYS = 2
Calling = Callable[..., httpx.AsyncClient]


@pytest.fixture(scope="module", autouse=True)
async def garden(town: Site) -> None:
    """A project of maya's with her agent, and one of jonas's without maya."""
    url = town.gateway.url.removesuffix("/mcp") + "/api/v1"
    operator = {"authorization": f"Bearer {town.tokens['operator']}"}
    async with httpx.AsyncClient(base_url=url, headers=operator) as http:
        for slug, owner in (("garden", "maya"), ("workshop", "jonas")):
            await http.post("/projects", json={"slug": slug, "owner": owner, "name": slug.title()})
        await http.put("/projects/garden/members/maya/codex")


async def registered(calling: Calling, **said: Any) -> dict[str, Any]:
    """A new device of maya's."""
    answer = await calling("maya").post("/devices", json={"name": "Laptop", **said})
    assert answer.status_code == 201, answer.text
    device: dict[str, Any] = answer.json()
    return device


async def test_a_person_registers_links_lists_and_removes_a_device(calling: Calling) -> None:
    maya = calling("maya")
    device = await registered(calling, slots=2, agents=["maya/codex"], projects=["garden"])
    assert (device["owner"], device["slots"]) == ("maya", 2)
    assert (device["agents"], device["projects"]) == (["maya/codex"], ["garden"])
    path = f"/devices/{device['device_id']}"
    changed = await maya.patch(path, json={"name": "Desk", "projects": []})
    assert changed.status_code == 200
    assert (changed.json()["name"], changed.json()["projects"], changed.json()["slots"]) == ("Desk", [], 2)
    assert device["device_id"] in [one["device_id"] for one in (await maya.get("/devices")).json()["devices"]]
    assert (await maya.delete(path)).status_code == 204
    assert device["device_id"] not in (await maya.get("/devices")).text
    assert (await maya.delete(path)).status_code == 404


async def test_only_projects_that_its_owner_is_in_are_linked(calling: Calling) -> None:
    """R12: not even by the operator."""
    device = await registered(calling, projects=["garden"])
    for who, project in (("maya", "workshop"), ("maya", "nowhere"), ("operator", "workshop")):
        wanted = {"projects": ["garden", project]}
        for refused in (
            await calling(who).post("/devices", json={"name": "Box", "owner": "maya", **wanted}),
            await calling(who).patch(f"/devices/{device['device_id']}", json=wanted),
        ):
            assert (refused.status_code, refused.json()["error"]["field"]) == (404, "projects[1]")
    linked = await calling("operator").patch(f"/devices/{device['device_id']}", json={"projects": ["garden"]})
    assert linked.status_code == 200


async def test_a_device_of_another_is_not_found_whatever_is_asked_of_it(calling: Calling) -> None:
    device = await registered(calling, agents=["maya/codex"])
    path = f"/devices/{device['device_id']}"
    for who in ("jonas", "rosa"):
        http = calling(who)
        asked = [
            http.patch(path, json={"slots": 3}),
            http.delete(path),
            http.get(f"{path}/keys"),
            http.post(f"{path}/keys", json={"kind": "device"}),
        ]
        assert [(await answer).status_code for answer in asked] == [404, 404, 404, 404]


@pytest.mark.parametrize("kind", ["device", "tasks"])
async def test_a_device_gets_keys_that_are_shown_once_and_refused_here(calling: Calling, kind: str) -> None:
    maya, device = calling("maya"), await registered(calling)
    keys = f"/devices/{device['device_id']}/keys"
    issued = await maya.post(keys, json={"kind": kind})
    assert issued.status_code == 201
    token = issued.json()["token"]
    assert token.startswith(f"prk_{kind}_")
    listed = await maya.get(keys)
    assert [key["key_id"] for key in listed.json()["keys"]] == [issued.json()["key_id"]]
    assert token not in listed.text
    refused = await calling(token).get("/devices")
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "forbidden")


@pytest.mark.parametrize("body", [{"kind": "client"}, {"kind": "person"}, {}])
async def test_a_device_gets_no_other_keys(calling: Calling, body: object) -> None:
    device = await registered(calling)
    refused = await calling("maya").post(f"/devices/{device['device_id']}/keys", json=body)
    assert (refused.status_code, refused.json()["error"]["field"]) == (400, "kind")


async def test_the_keys_of_a_device_are_refused_by_the_next_call_on_every_gateway_once_revoked_or_removed(
    calling: Calling,
) -> None:
    """R46: also by the gateway that knew the token."""
    maya, device = calling("maya"), await registered(calling)
    path = f"/devices/{device['device_id']}"
    first, second = [(await maya.post(f"{path}/keys", json={"kind": "device"})).json() for _ in range(2)]
    for end, token in ((f"/keys/{first['key_id']}", first["token"]), (path, second["token"])):
        for gateway in (0, 1):
            assert (await calling(token, gateway).get("/devices")).status_code == 403
        assert (await maya.delete(end)).status_code == 204
        for gateway in (0, 1):
            assert (await calling(token, gateway).get("/devices")).status_code == 401


async def test_a_project_key_is_for_a_project_that_the_agent_is_in(calling: Calling) -> None:
    maya = calling("maya")
    issued = await maya.post("/agents/maya/codex/keys", json={"kind": "project", "project": "garden"})
    assert issued.status_code == 201
    assert issued.json()["token"].startswith("prk_project_")
    (listed,) = [
        key
        for key in (await maya.get("/agents/maya/codex/keys")).json()["keys"]
        if key["key_id"] == issued.json()["key_id"]
    ]
    assert listed["project"] == "garden"
    for body, status in (
        ({"kind": "project", "project": "workshop"}, 404),
        ({"kind": "project"}, 400),
        ({"kind": "client", "project": "garden"}, 400),
    ):
        refused = await maya.post("/agents/maya/codex/keys", json=body)
        assert (refused.status_code, refused.json()["error"]["field"]) == (status, "project")


async def test_who_may_not_issue_keys_learns_nothing_of_the_agents_projects(calling: Calling) -> None:
    for who, status in (("jonas", 403), ("rosa", 404)):
        for project in ("garden", "workshop"):
            body = {"kind": "project", "project": project}
            refused = await calling(who).post("/agents/maya/codex/keys", json=body)
            assert (refused.status_code, refused.json()["error"].get("field")) == (status, None)


async def test_an_oauth_token_is_issued_by_the_operator_alone(calling: Calling) -> None:
    refused = await calling("maya").post("/agents/maya/codex/keys", json={"kind": "oauth"})
    assert (refused.status_code, refused.json()["error"]["field"]) == (403, "kind")
    issued = await calling("operator").post("/agents/maya/codex/keys", json={"kind": "oauth"})
    assert issued.json()["token"].startswith("prk_oauth_")
