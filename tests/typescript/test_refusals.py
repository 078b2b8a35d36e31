"""The TypeScript SDK checks results against a tool's output schema; ours must read well to it, refusals too."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp_types import CallToolRequestParams
from starlette.applications import Starlette
from starlette.routing import Route

from services.gateway.transport import McpTransport, Unauthenticated, prebuilt_tools
from tests.serving import serving
from tests.typescript.client import CallTool

TOKEN = "good-token"
GREETING = {"type": "object", "properties": {"greeting": {"type": "string"}}, "required": ["greeting"]}
TOOLS = [{"name": "greet", "description": "Greet.", "inputSchema": {"type": "object"}, "outputSchema": GREETING}]
REFUSAL = {"error": {"code": "not_found", "message": "Name an agent that shares a project with you."}}


async def greet(ctx: ServerRequestContext[Any, Any], params: CallToolRequestParams) -> dict[str, Any]:
    """Greet, or refuse to in the form all tools refuse in."""
    if (params.arguments or {}).get("refuse"):
        return {"content": [{"type": "text", "text": json.dumps(REFUSAL)}], "isError": True}
    answer = {"greeting": "hello"}
    return {"content": [{"type": "text", "text": json.dumps(answer)}], "structuredContent": answer}


async def known(token: str | None) -> str:
    """Let in whoever has the token."""
    if token != TOKEN:
        raise Unauthenticated
    return "somebody"


@pytest.fixture(scope="module")
async def url() -> AsyncIterator[str]:
    """A server whose only tool promises a greeting."""
    server: Server[Any] = Server("greeter", version="1.0")
    server.add_request_handler("tools/call", CallToolRequestParams, greet)
    prebuilt_tools(server, lambda caller: TOOLS)
    async with serving(Starlette(routes=[Route("/mcp", McpTransport(server, known, waits=()))])) as base:
        yield f"{base}/mcp"


async def test_a_result_validates_against_the_output_schema(url: str, call_tool: CallTool) -> None:
    seen = await call_tool(url, TOKEN, "greet", {})
    assert seen["result"]["structuredContent"] == {"greeting": "hello"}
    assert seen["tools"] == TOOLS


async def test_a_refusal_shows_its_own_json_and_not_a_complaint_about_the_schema(url: str, call_tool: CallTool) -> None:
    seen = await call_tool(url, TOKEN, "greet", {"refuse": True})
    assert "error" not in seen
    assert seen["result"]["isError"] is True
    assert [json.loads(item["text"]) for item in seen["result"]["content"]] == [REFUSAL]


async def test_an_unknown_token_shows_as_unauthorized(url: str, call_tool: CallTool) -> None:
    seen = await call_tool(url, "another-token", "greet", {})
    assert "result" not in seen
    assert seen["error"]["code"] == 401
