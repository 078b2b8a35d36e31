"""A server that speaks MCP over the gateway's own transport and says what a test puts into its mouth."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

from mcp import MCPError
from mcp.server.lowlevel import Server
from mcp.types import CallToolResult, ListToolsResult, TextContent, Tool
from starlette.types import Receive, Scope, Send

from services.gateway.transport import Forbidden, McpTransport, Unauthenticated

Says = Callable[[dict[str, Any]], Any]


class ScriptedHub:
    """Tools are functions from arguments to an answer; a dict with `error` is a refusal."""

    def __init__(self, **tools: Says) -> None:
        self.tools = tools
        self.hanging = asyncio.Event()
        server: Server[Any] = Server(
            "scripted", version="1", on_list_tools=self._list, on_call_tool=self._call, get_tool_input_schema=_no_schema
        )
        self._app = McpTransport(server, _authenticate, waits=["wait_for_mention", "wait_for_updates"])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)

    async def _list(self, ctx: Any, params: Any) -> ListToolsResult:
        return ListToolsResult(tools=[Tool(name=name, input_schema={"type": "object"}) for name in self.tools])

    async def _call(self, ctx: Any, params: Any) -> CallToolResult:
        if params.name not in self.tools:
            raise MCPError(-32602, "Unknown tool: call one that tools/list names.")
        said = self.tools[params.name](params.arguments or {})
        if said is HANGS:
            self.hanging.set()
            await asyncio.Event().wait()
        if "error" in said:
            return CallToolResult(is_error=True, content=[TextContent(type="text", text=json.dumps(said))])
        return CallToolResult(content=[], structured_content=said)


HANGS: dict[str, Any] = {}


async def _authenticate(token: str | None) -> Any:
    if token == "prk_person_token":
        raise Forbidden("Use a client key here; person tokens work at the HTTP API.")
    if token != "prk_client_token":
        raise Unauthenticated
    return token


def _no_schema(name: str) -> None:
    return None
