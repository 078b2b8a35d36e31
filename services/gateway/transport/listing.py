"""`tools/list` answered from dicts that are built once."""

from collections.abc import Callable
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp_types import SERVER_INFO_META_KEY, PaginatedRequestParams
from mcp_types.methods import validate_client_request
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

Context = ServerRequestContext[Any, Any]


def prebuilt_tools(server: Server[Any], listing: Callable[[Any], list[dict[str, Any]]]) -> None:
    """Answer `tools/list` with the wire-form tools that `listing` gives for a caller, on one page.

    They skip the SDK's validation and dump, about a millisecond for twenty tools, so they must be right as they are:
    a name, an `inputSchema` with `"type": "object"` at its root, no nulls. The list is not copied; do not change it.
    """

    async def list_tools(ctx: Context, params: PaginatedRequestParams) -> dict[str, Any]:
        return {"tools": listing(ctx.request)}

    async def answer_tools_list(ctx: Context, call_next: CallNext) -> HandlerResult:
        if ctx.method != "tools/list":
            return await call_next(ctx)
        validate_client_request(ctx.method, ctx.protocol_version, ctx.params)
        return {"tools": listing(ctx.request), **_envelope(server, ctx.protocol_version)}

    server.add_request_handler("tools/list", PaginatedRequestParams, list_tools)
    server.middleware.append(answer_tools_list)


def _envelope(server: Server[Any], protocol_version: str) -> dict[str, Any]:
    """What a modern result carries beside its content; a list that depends on the caller is never shared."""
    if protocol_version not in MODERN_PROTOCOL_VERSIONS:
        return {}
    stamp = {SERVER_INFO_META_KEY: server.server_info_stamp}
    return {"resultType": "complete", "ttlMs": 0, "cacheScope": "private", "_meta": stamp}
