"""The one parse of a body, over real HTTP in both eras."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from services.gateway.transport.body import parse
from tests.gateway.transport.tiny import (
    MODERN,
    both_eras,
    call,
    call_of,
    error_of,
)

MALFORMED = {
    "nothing": b"",
    "half an object": b'{"jsonrpc": "2.0"',
    "NaN": b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"n": NaN}}',
    "infinity": b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"n": -Infinity}}',
    "a float that overflows": b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"n": 1e999}}',
    "an integer beyond 64 bits": b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"n": 9223372036854775808}}',
    "ten thousand digits": b'{"jsonrpc": "2.0", "id": %s, "method": "ping"}' % (b"1" * 10_000),
    "a surrogate beside NaN": b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"n": NaN, "s": "\\ud800"}}',
    "a surrogate beside 1e999": b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1e999, "\\ud800"]}',
    "invalid UTF-8": b'{"jsonrpc": "2.0", "id": 1, "method": "\xff"}',
    "an encoded surrogate": b'{"jsonrpc": "2.0", "id": 1, "method": "\xed\xa0\x80"}',
    "a byte order mark": b'\xef\xbb\xbf{"jsonrpc": "2.0", "id": 1, "method": "ping"}',
    "101 levels": b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"n": %s}}' % (b"[" * 99 + b"]" * 99),
    "a million levels": b"[" * 1_000_000,
    "a million levels and a surrogate": b'["\\ud800",' + b"[" * 1_000_000,
}


@both_eras
@pytest.mark.parametrize("body", MALFORMED.values(), ids=MALFORMED.keys())
async def test_what_is_not_json_is_a_parse_error(client: httpx.AsyncClient, version: str, body: bytes) -> None:
    """R48."""
    response = await client.post("/mcp", content=body, headers={"mcp-protocol-version": version})
    assert error_of(response) == (400, -32700)
    assert response.json()["id"] is None


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b"9223372036854775807", 2**63 - 1),
        (b"-9223372036854775808", -(2**63)),
        (b'["12345678901234567890123", 20.0]', ["12345678901234567890123", 20.0]),
        (b'"\\ud83e\\udd94"', "🦔"),
        (b'{"a": 1, "a": 2}', {"a": 2}),
        (b"[" * 100 + b"]" * 100, json.loads("[" * 100 + "]" * 100)),
        (b"[" + b"[]," * 200 + b"[]]", [[]] * 201),
    ],
)
def test_what_is_json_is_parsed(body: bytes, value: Any) -> None:
    assert parse(body) == value


async def test_a_body_declared_too_large_is_refused(client: httpx.AsyncClient) -> None:
    """R48."""
    response = await client.post("/mcp", content=b" " * 10_000_000)
    assert response.status_code == 413


async def test_a_body_that_grows_too_large_is_refused(client: httpx.AsyncClient) -> None:
    """R48."""

    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(20):
            yield b" " * 100_000

    assert (await client.post("/mcp", content=chunks())).status_code == 413


async def test_a_body_of_one_mebibyte_is_read(client: httpx.AsyncClient) -> None:
    request = call_of("whoami", "2025-11-25")
    body = request["content"].ljust(1 << 20)
    assert (await client.post("/mcp", content=body, headers=request["headers"])).status_code == 200


async def test_a_client_that_leaves_within_its_body_harms_nobody(client: httpx.AsyncClient) -> None:
    _, writer = await asyncio.open_connection(client.base_url.host, client.base_url.port)
    head = "POST /mcp HTTP/1.1\r\nhost:localhost\r\nauthorization:Bearer agent\r\ncontent-type:application/json\r\n"
    writer.write(f"{head}content-length:100\r\n\r\n{{".encode())
    await writer.drain()
    writer.close()
    await writer.wait_closed()
    assert (await call(client, "whoami", MODERN)).status_code == 200
