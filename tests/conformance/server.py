"""A server with the tools that the official conformance suite calls by name, on the gateway's own transport.

Run it with `python -m uvicorn tests.conformance.server:app --loop uvloop --http httptools`.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolRequestParams
from starlette.applications import Starlette
from starlette.routing import Route

from services.gateway.transport import McpTransport, prebuilt_tools

Context = ServerRequestContext[Any, Any]

RED_PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="


async def simple_text(ctx: Context) -> dict[str, Any]:
    """One text item."""
    return _result(_text("This is a simple text response for testing."))


async def error_handling(ctx: Context) -> dict[str, Any]:
    """A failure the model can read."""
    return _result(_text("This tool intentionally returns an error for testing")) | {"isError": True}


async def multiple_content_types(ctx: Context) -> dict[str, Any]:
    """Text, an image and an embedded resource."""
    image = {"type": "image", "data": RED_PIXEL, "mimeType": "image/png"}
    resource = {"uri": "test://mixed-content-resource", "mimeType": "application/json", "text": '{"test":"data"}'}
    return _result(_text("Multiple content types test:"), image, {"type": "resource", "resource": resource})


async def tool_with_progress(ctx: Context) -> dict[str, Any]:
    """Three reports of progress before the answer."""
    for progress in (0, 50, 100):
        await ctx.session.report_progress(progress, 100, f"Completed step {progress} of 100")
    return _result(_text("Done."))


TOOLS: dict[str, Callable[[Context], Awaitable[dict[str, Any]]]] = {
    "test_simple_text": simple_text,
    "test_error_handling": error_handling,
    "test_multiple_content_types": multiple_content_types,
    "test_tool_with_progress": tool_with_progress,
}
WAITS = {"test_tool_with_progress"}


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _result(*content: dict[str, Any]) -> dict[str, Any]:
    return {"content": list(content), "isError": False, "resultType": "complete"}


async def call_tool(ctx: Context, params: CallToolRequestParams) -> dict[str, Any]:
    """Run the tool of that name."""
    if params.name not in TOOLS:
        raise MCPError(INVALID_PARAMS, "Call a tool that tools/list names.")
    return await TOOLS[params.name](ctx)


async def nobody(token: str | None) -> None:
    """Let everyone in."""


def build() -> Starlette:
    """The app, with the SDK's telemetry left out as in the gateway."""
    server: Server[Any] = Server("conformance", version="1.0")
    server.middleware.clear()
    server.add_request_handler("tools/call", CallToolRequestParams, call_tool)
    listed = [
        {"name": name, "description": tool.__doc__, "inputSchema": {"type": "object"}} for name, tool in TOOLS.items()
    ]
    prebuilt_tools(server, lambda caller: listed)
    return Starlette(routes=[Route("/mcp", McpTransport(server, nobody, waits=WAITS))])


app = build()
