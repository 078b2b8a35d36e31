"""A server with the tools that the official conformance suite calls by name, on the gateway's own transport.

Run it with `python -m uvicorn tests.conformance.server:app --loop uvloop --http httptools`.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, MISSING_REQUIRED_CLIENT_CAPABILITY, CallToolRequestParams
from starlette.applications import Starlette
from starlette.routing import Route

from services.gateway.transport import McpTransport, prebuilt_tools

Context = ServerRequestContext[Any, Any]

RED_PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
SILENCE = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA=="

TEXT = {"type": "text", "text": "This is a simple text response for testing."}
IMAGE = {"type": "image", "data": RED_PIXEL, "mimeType": "image/png"}
AUDIO = {"type": "audio", "data": SILENCE, "mimeType": "audio/wav"}
RESOURCE = {
    "type": "resource",
    "resource": {"uri": "test://embedded-resource", "mimeType": "text/plain", "text": "An embedded resource."},
}
CONTENTS = {
    "test_simple_text": [TEXT],
    "test_error_handling": [{"type": "text", "text": "This tool intentionally returns an error for testing"}],
    "test_image_content": [IMAGE],
    "test_audio_content": [AUDIO],
    "test_embedded_resource": [RESOURCE],
    "test_multiple_content_types": [TEXT, IMAGE, RESOURCE],
}
SCHEMAS: dict[str, dict[str, Any]] = {
    "json_schema_2020_12_tool": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            }
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": False,
    }
}


async def report_progress(ctx: Context) -> None:
    """Say three times how far the call is."""
    for progress in (0, 50, 100):
        await ctx.session.report_progress(progress, 100, f"Completed step {progress} of 100")


async def require_sampling(ctx: Context) -> None:
    """Refuse clients that cannot sample, which is every client of a server that cannot ask."""
    needed: dict[str, Any] = {"requiredCapabilities": {"sampling": {}}}
    raise MCPError(MISSING_REQUIRED_CLIENT_CAPABILITY, "Declare the sampling capability.", needed)


DEEDS: dict[str, Callable[[Context], Awaitable[None]]] = {
    "test_tool_with_progress": report_progress,
    "test_streaming_elicitation": report_progress,
    "test_missing_capability": require_sampling,
}
WAITS = {"test_tool_with_progress", "test_streaming_elicitation"}
NAMES = [*CONTENTS, *DEEDS, *SCHEMAS]
TOOLS = [
    {"name": name, "description": "Called by the suite.", "inputSchema": SCHEMAS.get(name, {"type": "object"})}
    for name in NAMES
]


async def call_tool(ctx: Context, params: CallToolRequestParams) -> dict[str, Any]:
    """Do what the tool of that name does and answer with its content."""
    if params.name not in NAMES:
        raise MCPError(INVALID_PARAMS, "Call a tool that tools/list names.")
    if params.name in DEEDS:
        await DEEDS[params.name](ctx)
    failed = params.name == "test_error_handling"
    return {"content": CONTENTS.get(params.name, [TEXT]), "isError": failed, "resultType": "complete"}


async def nobody(token: str | None) -> None:
    """Let everyone in."""


def build() -> Starlette:
    """The app, with the SDK's telemetry left out as in the gateway."""
    server: Server[Any] = Server("conformance", version="1.0")
    server.middleware.clear()
    server.add_request_handler("tools/call", CallToolRequestParams, call_tool)
    prebuilt_tools(server, lambda caller: TOOLS)
    return Starlette(routes=[Route("/mcp", McpTransport(server, nobody, waits=WAITS))])


app = build()
