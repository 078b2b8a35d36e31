"""The tiny server behind a real uvicorn, one for a file of tests; its tools are new for each test."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from mcp.server.lowlevel import Server
from mcp_types import CallToolRequestParams
from starlette.applications import Starlette
from starlette.routing import Route

from services.gateway.transport import McpTransport, prebuilt_tools
from tests.gateway.transport.tiny import Context, Tools, authenticate, listing
from tests.serving import serving


class Bench:
    """Holds the tools of the test that is running."""

    url = ""
    tools = Tools()

    async def call(self, ctx: Context, params: CallToolRequestParams) -> dict[str, Any]:
        """Call a tool of this test."""
        return await self.tools.call(ctx, params)


@pytest.fixture(scope="module")
async def bench() -> AsyncIterator[Bench]:
    """The server; pings come every 50 ms."""
    bench, server = Bench(), Server[Any]("tiny", version="1.0")
    server.middleware.clear()
    server.add_request_handler("tools/call", CallToolRequestParams, bench.call)
    prebuilt_tools(server, listing)
    transport = McpTransport(server, authenticate, waits={"wait", "wait_and_crash"}, ping_seconds=0.05)
    async with serving(Starlette(routes=[Route("/mcp", transport)])) as bench.url:
        yield bench


@pytest.fixture
def tools(bench: Bench) -> Tools:
    """The tools of this test."""
    bench.tools = Tools()
    return bench.tools


@pytest.fixture
async def client(bench: Bench, tools: Tools) -> AsyncIterator[httpx.AsyncClient]:
    """A client with a token."""
    headers = {"authorization": "Bearer agent", "content-type": "application/json"}
    async with httpx.AsyncClient(base_url=bench.url, headers=headers, timeout=20) as http:
        yield http
