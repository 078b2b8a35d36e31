"""Keys over HTTP: the token is shown once, then only what it proves."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from hashlib import sha256

import httpx
import pytest

from tests.site import Site

SERVICES = ("rooms",)
GATEWAYS = 2
CHALLENGE = 'Bearer error="invalid_token"'
Calling = Callable[..., httpx.AsyncClient]


async def test_the_token_of_an_agents_key_is_shown_once(town: Site, calling: Calling) -> None:
    maya = calling("maya")
    issued = await maya.post("/agents/maya/codex/keys", json={"kind": "client", "expires_at": "2126-01-01T00:00:00Z"})
    assert (issued.status_code, issued.headers["cache-control"]) == (201, "no-store")
    token = issued.json()["token"]
    assert token.startswith("prk_client_")
    assert len(token.removeprefix("prk_client_")) >= 43
    listed = await maya.get("/agents/maya/codex/keys")
    assert issued.json()["key_id"] in [key["key_id"] for key in listed.json()["keys"]]
    assert token not in listed.text
    files = [file.read_bytes() for file in town.hub.settings.data_dir.rglob("*") if file.is_file()]
    assert any(sha256(token.encode()).hexdigest().encode() in content for content in files)
    assert not any(token.encode() in content for content in files)


async def test_a_revoked_token_is_refused_by_the_next_call_on_every_gateway(calling: Calling) -> None:
    """R46: also by the gateway that knew it and did not revoke it."""
    jonas = calling("jonas")
    issued = (await jonas.post("/people/jonas/tokens")).json()
    assert issued["token"].startswith("prk_person_")
    for gateway in (0, 1):
        assert (await calling(issued["token"], gateway).get("/people")).status_code == 200
    for _ in range(2):
        assert (await jonas.delete(f"/keys/{issued['key_id']}")).status_code == 204
        for gateway in (0, 1):
            refused = await calling(issued["token"], gateway).get("/people")
            assert (refused.status_code, refused.headers["www-authenticate"]) == (401, CHALLENGE)


async def test_the_keys_of_a_removed_agent_are_refused_by_the_next_call_on_every_gateway(
    town: Site, calling: Calling
) -> None:
    """R46: as after a revocation."""
    maya = calling("maya")
    await maya.post("/agents", json={"agent_id": "maya/short", "display_name": "Short"})
    token = (await maya.post("/agents/maya/short/keys", json={"kind": "client"})).json()["token"]
    for gateway in (0, 1):
        assert (await town.post(token, "tools/list", {}, gateway=gateway)).status_code == 200
    await maya.delete("/agents/maya/short")
    for gateway in (0, 1):
        assert (await town.post(token, "tools/list", {}, gateway=gateway)).status_code == 401


async def test_a_token_ends_when_it_expires(town: Site, calling: Calling) -> None:
    """A gateway that knows the token sees the end, too."""
    ends = (town.hub.clock.now + timedelta(seconds=30)).isoformat()
    token = (await calling("maya").post("/people/maya/tokens", json={"expires_at": ends})).json()["token"]
    assert (await calling(token).get("/people")).status_code == 200
    town.hub.clock.advance(seconds=31)
    assert (await calling(token).get("/people")).status_code == 401


async def test_a_teammate_is_forbidden_what_a_stranger_does_not_find(calling: Calling) -> None:
    for who, status in (("jonas", 403), ("rosa", 404)):
        assert (await calling(who).get("/agents/maya/codex/keys")).status_code == status
        issued = await calling(who).post("/agents/maya/codex/keys", json={"kind": "client"})
        assert issued.status_code == status
        assert (await calling(who).post("/people/maya/tokens", json={})).status_code == status


async def test_the_operator_issues_lists_and_revokes_everybodys(calling: Calling) -> None:
    operator = calling("operator")
    key = (await operator.post("/people/rosa/tokens", json={})).json()["key_id"]
    assert (await calling("maya").delete(f"/keys/{key}")).status_code == 404
    assert (await operator.delete(f"/keys/{key}")).status_code == 204
    (revoked,) = [k for k in (await operator.get("/people/rosa/tokens")).json()["keys"] if k["key_id"] == key]
    assert revoked["revoked_at"] is not None


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "kind"),
        ({"kind": "person"}, "kind"),
        ({"kind": "chocolate"}, "kind"),
        ({"kind": "client", "expires_at": "2020-01-01T00:00:00Z"}, "expires_at"),
        ({"kind": "client", "expires_at": "tomorrow"}, "expires_at"),
        ({"kind": "client", "expires_at": "2126-01-01T00:00:00"}, "expires_at"),
        ({"kind": "client", "expires_at": 4900000000}, "expires_at"),
        ({"kind": "client", "expires_at": None}, "expires_at"),
    ],
)
async def test_a_wrong_wish_for_a_key_is_refused_by_field(calling: Calling, body: object, field: str) -> None:
    refused = await calling("maya").post("/agents/maya/codex/keys", json=body)
    assert refused.status_code == 400
    assert (refused.json()["error"]["code"], refused.json()["error"]["field"]) == ("invalid_input", field)
