"""What is JSON but not a request, and text that cannot be used, over real HTTP in both eras."""

import json
from typing import Any

import httpx
import pytest
from structlog.testing import capture_logs

from tests.gateway.transport.tiny import (
    MODERN,
    Tools,
    both_eras,
    call,
    call_of,
    error_of,
)


@both_eras
async def test_a_batch_is_an_invalid_request(client: httpx.AsyncClient, version: str) -> None:
    batch = [{"jsonrpc": "2.0", "id": 1, "method": "ping"}]
    response = await client.post("/mcp", json=batch, headers={"mcp-protocol-version": version})
    assert error_of(response) == (400, -32600)


@both_eras
@pytest.mark.parametrize(
    "change",
    [
        {"id": None},
        {"id": True},
        {"id": 1.5},
        {"id": ["\ud800"]},
        {"id": "\ud800"},
        {"id": "\x00"},
        {"method": None},
        {"method": "\ud800"},
        {"method": "tools/\x00call"},
        {"jsonrpc": "1.0"},
        {"params": []},
        {"params": {"name": "\ud800", "arguments": {}}},
        {"params": {"name": "who\x00ami", "arguments": {}}},
        {"params": {"name": "wait", "_meta": {"progressToken": "\ud800"}}},
        {"params": {"name": "whoami", "\udfff": 1}},
        {"\ud800": 1},
    ],
)
async def test_a_malformed_envelope_is_an_invalid_request(
    client: httpx.AsyncClient, version: str, change: dict[str, Any]
) -> None:
    """R48."""
    request = call_of("whoami", version)
    body = json.dumps(json.loads(request["content"]) | change)
    response = await client.post("/mcp", content=body, headers=request["headers"])
    assert error_of(response) == (400, -32600)


@both_eras
@pytest.mark.parametrize("text", ["\ud800", "a\udfffb", "\x00"])
async def test_nul_and_surrogates_in_arguments_reach_the_tool(
    client: httpx.AsyncClient, tools: Tools, version: str, text: str
) -> None:
    """R48: it is the tool layer that names the field."""
    response = await call(client, "whoami", version, arguments={"a": [{"b": text}]})
    assert response.status_code == 200
    assert tools.arguments == {"a": [{"b": text}]}


@both_eras
async def test_a_surrogate_as_the_name_of_an_argument_is_no_crash(client: httpx.AsyncClient, version: str) -> None:
    """R48."""
    with capture_logs() as logs:
        await call(client, "whoami", version, arguments={"\ud800": 1})
    assert logs == []


@both_eras
@pytest.mark.parametrize("arguments", [[], "text", 5])
async def test_arguments_that_are_no_object_are_invalid_params(
    client: httpx.AsyncClient, version: str, arguments: Any
) -> None:
    status = 400 if version == MODERN else 200
    assert error_of(await call(client, "whoami", version, arguments=arguments)) == (status, -32602)
