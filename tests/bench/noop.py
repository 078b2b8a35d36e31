"""The least a tool call can cost: one tool that does nothing, on the gateway's own transport and without tokens.

The bench divides by its numbers. Run it with `python -m uvicorn tests.bench.noop:app --loop uvloop --http httptools`.
"""

from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp_types import CallToolRequestParams
from starlette.applications import Starlette
from starlette.routing import Route

from services.gateway.transport import McpTransport, prebuilt_tools

TOOLS = [{"name": "noop", "description": "Do nothing.", "inputSchema": {"type": "object"}}]


async def call_tool(ctx: ServerRequestContext[Any, Any], params: CallToolRequestParams) -> dict[str, Any]:
    """Answer as a real tool does: an object and the same as text."""
    content = [{"type": "text", "text": '{"ok":true}'}]
    return {"content": content, "structuredContent": {"ok": True}, "isError": False, "resultType": "complete"}


async def nobody(token: str | None) -> None:
    """Let everyone in."""


def build() -> Starlette:
    """The app, with the SDK's telemetry left out as in the gateway."""
    server: Server[Any] = Server("noop", version="1.0")
    server.middleware.clear()
    server.add_request_handler("tools/call", CallToolRequestParams, call_tool)
    prebuilt_tools(server, lambda caller: TOOLS)
    return Starlette(routes=[Route("/mcp", McpTransport(server, nobody, waits=()))])


app = build()
