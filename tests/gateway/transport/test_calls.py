"""Short calls and the protocol's own methods, over real HTTP in both eras."""

import asyncio

import httpx
import pytest
from structlog.testing import capture_logs

from tests.gateway.transport.tiny import (
    HANDSHAKE,
    MODERN,
    STREAM,
    ask,
    both_eras,
    call,
    call_of,
    error_of,
    every_version,
    listing,
    request_of,
)


@every_version
async def test_a_short_call_is_answered_with_json_even_if_a_stream_is_accepted(
    client: httpx.AsyncClient, version: str | None
) -> None:
    call = call_of("whoami", version)
    response = await client.post("/mcp", content=call["content"], headers=call["headers"] | STREAM)
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    assert response.json()["id"] == 7


@every_version
async def test_a_handler_sees_what_the_authenticator_returned(client: httpx.AsyncClient, version: str | None) -> None:
    response = await call(client, "whoami", version)
    assert response.json()["result"]["content"][0]["text"] == "agent"


@every_version
async def test_an_unknown_tool_is_answered_as_the_handler_says(client: httpx.AsyncClient, version: str | None) -> None:
    status = 400 if version == MODERN else 200
    assert error_of(await call(client, "nonesuch", version)) == (status, -32602)


@both_eras
async def test_a_crash_is_logged_and_tells_nothing(client: httpx.AsyncClient, version: str) -> None:
    with capture_logs() as logs:
        response = await call(client, "crash", version)
    assert response.json()["error"] == {"code": -32603, "message": "Internal server error"}
    assert response.status_code == 200
    assert [entry["event"] for entry in logs] == ["mcp handler crashed"]


@both_eras
@pytest.mark.parametrize("tool", ["surrogate", "surrogate_error"])
async def test_an_answer_that_is_not_unicode_counts_as_a_crash(
    client: httpx.AsyncClient, version: str, tool: str
) -> None:
    assert error_of(await call(client, tool, version)) == (200, -32603)


@pytest.mark.parametrize("asked", HANDSHAKE)
async def test_initialize_agrees_to_the_version_that_is_asked_for(client: httpx.AsyncClient, asked: str) -> None:
    params = {"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    result = (await ask(client, "initialize", params, None)).json()["result"]
    assert result["protocolVersion"] == asked
    assert result["serverInfo"]["name"] == "tiny"
    assert "tools" in result["capabilities"]


async def test_initialize_offers_the_newest_handshake_version_for_an_unknown_one(client: httpx.AsyncClient) -> None:
    params = {"protocolVersion": "1999-01-01", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    result = (await ask(client, "initialize", params, None)).json()["result"]
    assert result["protocolVersion"] == "2025-11-25"


async def test_discover_names_the_modern_version(client: httpx.AsyncClient) -> None:
    result = (await ask(client, "server/discover", {}, MODERN)).json()["result"]
    assert result["supportedVersions"] == [MODERN]


@pytest.mark.parametrize("version", [None, *HANDSHAKE])
async def test_ping_is_answered(client: httpx.AsyncClient, version: str | None) -> None:
    assert (await ask(client, "ping", {}, version)).json()["result"] == {}


@every_version
async def test_tools_list_shows_what_this_caller_may_call(client: httpx.AsyncClient, version: str | None) -> None:
    for token in ("agent", "device"):
        client.headers["authorization"] = f"Bearer {token}"
        result = (await ask(client, "tools/list", {}, version)).json()["result"]
        assert result["tools"] == listing(token)


async def test_a_modern_tools_list_carries_its_whole_envelope(client: httpx.AsyncClient) -> None:
    result = (await ask(client, "tools/list", {}, MODERN)).json()["result"]
    assert (result["resultType"], result["ttlMs"], result["cacheScope"]) == ("complete", 0, "private")
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "tiny"


@both_eras
async def test_tools_list_with_malformed_params_is_refused(client: httpx.AsyncClient, version: str) -> None:
    status = 400 if version == MODERN else 200
    assert error_of(await ask(client, "tools/list", {"cursor": 5}, version)) == (status, -32602)


@both_eras
async def test_an_unknown_method_is_refused(client: httpx.AsyncClient, version: str) -> None:
    status = 404 if version == MODERN else 200
    assert error_of(await ask(client, "prompts/list", {}, version)) == (status, -32601)


@every_version
async def test_a_notification_is_accepted_and_dropped(client: httpx.AsyncClient, version: str | None) -> None:
    headers = {} if version is None else {"mcp-protocol-version": version}
    body = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    response = await client.post("/mcp", json=body, headers=headers)
    assert (response.status_code, response.content) == (202, b"")


async def test_a_version_that_is_not_served_is_told_the_ones_that_are(client: httpx.AsyncClient) -> None:
    request = request_of("tools/list", {"_meta": {"io.modelcontextprotocol/protocolVersion": "2031-01-01"}}, MODERN)
    headers = request["headers"] | {"mcp-protocol-version": "2031-01-01"}
    response = await client.post("/mcp", content=request["content"], headers=headers)
    assert error_of(response) == (400, -32022)
    assert response.json()["error"]["data"]["supported"] == [MODERN]
    notification = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert error_of(await client.post("/mcp", json=notification, headers=headers)) == (400, -32022)


@pytest.mark.parametrize("header", ["mcp-protocol-version", "mcp-method", "mcp-name"])
async def test_headers_and_body_of_a_modern_request_must_agree(client: httpx.AsyncClient, header: str) -> None:
    call = call_of("whoami", MODERN)
    elsewhere = {"mcp-protocol-version": "2031-01-01"}.get(header, "another")
    response = await client.post("/mcp", content=call["content"], headers=call["headers"] | {header: elsewhere})
    assert error_of(response) == (400, -32020)


async def test_a_routing_header_given_twice_is_refused(client: httpx.AsyncClient) -> None:
    call = call_of("whoami", MODERN)
    twice = [*call["headers"].items(), ("mcp-name", "whoami")]
    assert error_of(await client.post("/mcp", content=call["content"], headers=twice)) == (400, -32020)


async def test_spaces_around_header_values_do_not_matter(client: httpx.AsyncClient) -> None:
    call = call_of("whoami", MODERN)
    padded = {name: f" {value} \t " for name, value in call["headers"].items()}
    lines = {"host": "localhost", "authorization": "Bearer agent ", "content-type": "application/json  "} | padded
    assert (await post_raw(client, lines, call["content"].encode())).startswith(b"HTTP/1.1 200")


async def post_raw(client: httpx.AsyncClient, headers: dict[str, str], body: bytes) -> bytes:
    """Send headers byte for byte and read until the server closes."""
    reader, writer = await asyncio.open_connection(client.base_url.host, client.base_url.port)
    lines = [f"{name}:{value}" for name, value in headers.items()]
    head = ["POST /mcp HTTP/1.1", *lines, f"content-length:{len(body)}", "connection:close", "", ""]
    writer.write("\r\n".join(head).encode() + body)
    async with asyncio.timeout(10):
        answer = await reader.read()
    writer.close()
    return answer
