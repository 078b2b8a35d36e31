"""Who is let in, over real HTTP."""

import httpx
import pytest
from structlog.testing import capture_logs

from services.gateway.transport.door import Door
from services.gateway.transport.responses import Refused
from tests.gateway.transport.tiny import MODERN, call_of


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
async def test_only_post_is_allowed(client: httpx.AsyncClient, method: str) -> None:
    response = await client.request(method, "/mcp")
    assert (response.status_code, response.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize("authorization", [None, "", "Bearer", "Basic abc"])
async def test_a_call_without_a_token_is_challenged(client: httpx.AsyncClient, authorization: str | None) -> None:
    del client.headers["authorization"]
    headers = {} if authorization is None else {"authorization": authorization}
    response = await client.post("/mcp", content="{}", headers=headers)
    assert response.status_code == 401
    assert response.headers["www-authenticate"] == 'Bearer error="invalid_token"'
    assert response.json()["error"] == "invalid_token"


async def test_a_token_that_does_not_belong_here_is_forbidden_with_a_reason(client: httpx.AsyncClient) -> None:
    response = await client.post("/mcp", content="{}", headers={"authorization": "Bearer person"})
    assert response.status_code == 403
    assert response.json() == {"error": "forbidden", "error_description": "Use an agent's token here."}


async def test_a_broken_authenticator_is_unavailable_and_tells_nothing(client: httpx.AsyncClient) -> None:
    with capture_logs() as logs:
        response = await client.post("/mcp", content="{}", headers={"authorization": "Bearer outage"})
    assert (response.status_code, response.headers["retry-after"]) == (503, "1")
    assert "secret" not in response.text
    assert [entry["event"] for entry in logs] == ["authentication crashed"]


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", ""])
async def test_a_body_that_is_not_json_is_refused(client: httpx.AsyncClient, content_type: str) -> None:
    response = await client.post("/mcp", content="{}", headers={"content-type": content_type})
    assert response.status_code == 415


async def test_a_content_type_may_name_its_charset(client: httpx.AsyncClient) -> None:
    request = call_of("whoami", MODERN)
    headers = request["headers"] | {"content-type": "Application/JSON; charset=utf-8"}
    assert (await client.post("/mcp", content=request["content"], headers=headers)).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "localhost:80@evil.example", "[::2]:80"])
async def test_a_foreign_host_is_misdirected(client: httpx.AsyncClient, host: str) -> None:
    assert (await client.post("/mcp", content="{}", headers={"host": host})).status_code == 421


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost.evil.example"])
async def test_a_foreign_origin_is_forbidden(client: httpx.AsyncClient, origin: str) -> None:
    assert (await client.post("/mcp", content="{}", headers={"origin": origin})).status_code == 403


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "[::1]:9000", "[::1]"])
async def test_every_loopback_name_is_served_by_default(client: httpx.AsyncClient, host: str) -> None:
    request = call_of("whoami", MODERN)
    headers = request["headers"] | {"host": host, "origin": f"http://{host}"}
    assert (await client.post("/mcp", content=request["content"], headers=headers)).status_code == 200


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        ("hub.example", None, None),
        ("hub.example:8443", None, 421),
        ("any.example:8443", "https://console.example:1", None),
        ("any.example:", None, 421),
        ("any.example:80x", None, 421),
        ("hub.example", "https://console.example.evil", 403),
        ("localhost", None, 421),
    ],
)
def test_configured_hosts_and_origins_replace_the_loopback_names(
    host: str, origin: str | None, status: int | None
) -> None:
    door = Door(["hub.example", "any.example:*"], ["https://console.example:*"])
    headers = {"host": host, "content-type": "application/json"} | ({} if origin is None else {"origin": origin})
    assert refusal_of(door, headers) == status


def test_a_hub_that_is_thrown_away_may_answer_under_any_host_but_only_to_loopback_origins() -> None:
    door = Door(["*"], [])
    headers = {"host": "172.17.0.1:32768", "content-type": "application/json"}
    assert refusal_of(door, headers) is None
    assert refusal_of(door, headers | {"origin": "https://console.example"}) == 403


def refusal_of(door: Door, headers: dict[str, str]) -> int | None:
    try:
        door.check("POST", headers)
    except Refused as refused:
        return refused.status
    return None
