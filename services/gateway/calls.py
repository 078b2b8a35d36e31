"""A tool call from the wire to its function and back (what a result and a refusal look like)."""

from __future__ import annotations

from time import perf_counter
from typing import Any, cast

import orjson
import structlog
from mcp import MCPError
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp_types import INVALID_PARAMS, CallToolRequestParams

from libs.contracts.base import View
from libs.contracts.errors import Problem, ProblemData, Unavailable
from libs.contracts.tools import INSTRUCTIONS, TOOLS, Tool
from services.gateway.arguments import parse
from services.gateway.metrics import OK, note_call
from services.gateway.scope import check_right, listing, narrowed
from services.gateway.session import Session
from services.gateway.tools import FUNCTIONS
from services.gateway.transport import prebuilt_tools

log = structlog.get_logger()

CRASHED = Unavailable(
    "The outcome is open: repeat the call with the same idempotency_key in a few seconds.", retry_after_seconds=3
)

Context = ServerRequestContext[Any, Any]


def build_server(version: str) -> Server[Any]:
    """The MCP server: the catalog, and calls carried out by the functions of `tools/`."""
    server: Server[Any] = Server("prickle", version=version, title="Prickle", instructions=INSTRUCTIONS)
    server.middleware.clear()
    server.add_request_handler("tools/call", CallToolRequestParams, call_tool)
    prebuilt_tools(server, lambda session: listing(session.caller))
    return server


async def call_tool(ctx: Context, params: CallToolRequestParams) -> dict[str, Any]:
    """Check the arguments, run the tool's function, shape the result."""
    tool = TOOLS.get(params.name)
    if tool is None:
        raise MCPError(INVALID_PARAMS, "Unknown tool: call tools/list for the names.")
    session, started = cast(Session, ctx.request), perf_counter()
    said = await _said(tool, params.arguments or {}, session, ctx)
    if isinstance(said, Problem):
        note_call("mcp", tool.name, said.data.code, started)
        return _refused(said.data)
    note_call("mcp", tool.name, OK, started)
    return _result(said, session.meta)


async def _said(tool: Tool, arguments: dict[str, Any], session: Session, ctx: Context) -> dict[str, Any] | Problem:
    try:
        _check_may_call(tool, session)
        view = await _run(tool, arguments, session, ctx)
    except Problem as problem:
        return problem
    except Exception:
        log.exception("tool crashed", tool=tool.name, caller=session.caller.subject)
        return CRASHED
    return view.wire() if isinstance(view, View) else view


def _check_may_call(tool: Tool, session: Session) -> None:
    """An ended run may only repeat its return_result: tasks answers it if it succeeded before, or refuses."""
    repeats = session.may_repeat_result and tool.name == "return_result"
    if session.refusal is not None and not repeats:
        raise session.refusal
    check_right(tool, session.caller)


async def _run(tool: Tool, arguments: dict[str, Any], session: Session, ctx: Context) -> View | dict[str, Any]:
    said = parse(tool, arguments)
    session.progress = ctx.session.report_progress
    session.take_key(said, tool.input_schema)
    return await FUNCTIONS[tool.name](narrowed(said, session.caller), session)


def _result(structured: dict[str, Any], meta: dict[str, Any]) -> dict[str, Any]:
    """The object once for programs and once as compact JSON: clients show models one or the other."""
    result: dict[str, Any] = {
        "content": [{"type": "text", "text": orjson.dumps(structured).decode()}],
        "structuredContent": structured,
        "isError": False,
        "resultType": "complete",
    }
    if meta:
        result["_meta"] = meta
    return result


def _refused(problem: ProblemData) -> dict[str, Any]:
    """No `structuredContent`: TypeScript clients would validate it against the output schema."""
    text = orjson.dumps({"error": problem.wire()}).decode()
    return {"content": [{"type": "text", "text": text}], "isError": True, "resultType": "complete"}
