"""A tiny server, and requests to it in every protocol version."""

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolRequestParams

from services.gateway.transport import Forbidden, Unauthenticated

MODERN = "2026-07-28"
HANDSHAKE = ("2025-03-26", "2025-06-18", "2025-11-25")
STREAM = {"accept": "application/json, text/event-stream"}
Context = ServerRequestContext[Any, Any]

every_version = pytest.mark.parametrize("version", [None, *HANDSHAKE, MODERN])
both_eras = pytest.mark.parametrize("version", ["2025-11-25", MODERN])


@dataclass
class Tools:
    """The tools of the test server, and what happened to them."""

    arguments: dict[str, Any] | None = None
    waiting: asyncio.Event = field(default_factory=asyncio.Event)
    release: asyncio.Event = field(default_factory=asyncio.Event)
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)

    async def call(self, ctx: Context, params: CallToolRequestParams) -> dict[str, Any]:
        """Call the tool of that name."""
        self.arguments = params.arguments
        tool = getattr(self, params.name, None)
        if tool is None:
            raise MCPError(-32602, "Call a tool that tools/list names.")
        return {"content": [{"type": "text", "text": await tool(ctx)}], "resultType": "complete"}

    async def whoami(self, ctx: Context) -> str:
        return str(ctx.request)

    async def crash(self, ctx: Context) -> str:
        raise RuntimeError("a secret detail")

    async def surrogate(self, ctx: Context) -> str:
        return "\ud800"

    async def surrogate_error(self, ctx: Context) -> str:
        raise MCPError(-32000, "\ud800")

    async def wait(self, ctx: Context) -> str:
        self.waiting.set()
        try:
            await ctx.session.report_progress(1, 2, "half way")
            await self.release.wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        return "woken"

    async def wait_and_crash(self, ctx: Context) -> str:
        raise RuntimeError("a secret detail")


async def authenticate(token: str | None) -> str:
    """Three kinds of token, and one that breaks the authenticator."""
    if token is None:
        raise Unauthenticated
    if token == "person":
        raise Forbidden("Use an agent's token here.")
    if token == "outage":
        raise ConnectionError("a secret detail")
    return token


def listing(caller: str) -> list[dict[str, Any]]:
    """Tools that depend on the caller."""
    return [{"name": f"for_{caller}", "description": "A tool.", "inputSchema": {"type": "object"}}]


def request_of(method: str, params: dict[str, Any], version: str | None) -> dict[str, Any]:
    """A request as the version wants it, as keyword arguments for httpx."""
    headers = {} if version is None else {"mcp-protocol-version": version}
    if version == MODERN:
        own = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}}
        params = params | {"_meta": own | params.get("_meta", {})}
        headers |= {"mcp-method": method} | ({"mcp-name": params["name"]} if "name" in params else {})
    body = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
    return {"content": json.dumps(body), "headers": headers}


def call_of(tool: str, version: str | None, **params: Any) -> dict[str, Any]:
    return request_of("tools/call", {"name": tool, **params}, version)


async def ask(client: httpx.AsyncClient, method: str, params: dict[str, Any], version: str | None) -> httpx.Response:
    return await client.post("/mcp", **request_of(method, params, version))


async def call(client: httpx.AsyncClient, tool: str, version: str | None, **params: Any) -> httpx.Response:
    return await client.post("/mcp", **call_of(tool, version, **params))


def stream(client: httpx.AsyncClient, tool: str, version: str | None, **params: Any) -> Any:
    call = call_of(tool, version, **params)
    return client.stream("POST", "/mcp", content=call["content"], headers=call["headers"] | STREAM)


def error_of(response: httpx.Response) -> tuple[int, int]:
    """The HTTP status and the JSON-RPC error code."""
    return response.status_code, response.json()["error"]["code"]
