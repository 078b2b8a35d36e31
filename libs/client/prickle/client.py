"""What agents do on a hub: call its tools over MCP, follow what concerns them."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from mcp.types import CallToolResult, TextContent, Tool

from prickle.connection import Connection
from prickle.errors import PASSING, HubError

LONGEST_PAUSE_SECONDS = 30.0

Arguments = dict[str, Any]
Answer = dict[str, Any]


class Hub:
    """A hub as an agent sees it, in either era of the protocol. Get one from `Hub.connect`."""

    def __init__(self, url: str, token: str, mode: str) -> None:
        self._access = (url, token, mode)
        self._connection = Connection(*self._access)

    @classmethod
    @asynccontextmanager
    async def connect(cls, url: str, token: str, *, mode: str = "auto") -> AsyncIterator[Hub]:
        """The hub at any of its URLs. `mode` is the SDK's: `auto`, `legacy` or a protocol version."""
        hub = cls(url, token, mode)
        try:
            await hub._connection.client()
            yield hub
        finally:
            await hub._connection.close()

    @classmethod
    @asynccontextmanager
    async def at(cls, url: str, token: str) -> AsyncIterator[Hub]:
        """The hub, without saying hello before the first call: for those who outlast its absence."""
        hub = cls(url, token, "auto")
        try:
            yield hub
        finally:
            await hub._connection.close()

    async def call(self, tool: str, /, **arguments: Any) -> Answer:
        """The answer of a tool; raises `HubError`. A broken connection is opened again by the next call."""
        connection = self._live()
        client = await connection.client()
        return _answer(await connection.run(client.call_tool(tool, arguments)))

    async def call_patiently(self, tool: str, arguments: Arguments, passing: Sequence[str] = PASSING) -> Answer:
        """The answer, however often the hub has to be asked while it refuses with a code that passes."""
        pause = 1.0
        while True:
            try:
                return await self.call(tool, **arguments)
            except HubError as error:
                if error.code not in passing:
                    raise
                await asyncio.sleep(error.retry_after_seconds or pause * random.uniform(0.5, 1.0))
                pause = min(pause * 2, LONGEST_PAUSE_SECONDS)

    async def tools(self) -> list[Tool]:
        """The tools that the token may call."""
        connection = self._live()
        client = await connection.client()
        return (await connection.run(client.list_tools())).tools

    def mentions(self, project: str | None = None, *, cursor: str | None = None) -> AsyncIterator[Answer]:
        """Messages that mention the agent, for ever: in order, each at least once, also across broken connections.

        Without a cursor they start where the agent's unfiltered waits left off (R21).
        """
        return self._follow("wait_for_mention", "mentions", _given(project=project), cursor)

    def updates(
        self, project: str | None = None, *, kinds: Sequence[str] | None = None, cursor: str | None = None
    ) -> AsyncIterator[Answer]:
        """Everything that concerns the agent, as `mentions` gives messages; of some kinds only, if they are named."""
        filters = _given(project=project, kinds=None if kinds is None else list(kinds))
        return self._follow("wait_for_updates", "updates", filters, cursor)

    def _live(self) -> Connection:
        if self._connection.broken:
            self._connection = Connection(*self._access)
        return self._connection

    async def _follow(self, tool: str, items: str, filters: Arguments, cursor: str | None) -> AsyncIterator[Answer]:
        """What waits return; a page's cursor is passed on, and so acknowledged, when all of it has been taken (R20)."""
        while True:
            page = await self.call_patiently(tool, filters | _given(cursor=cursor))
            for item in page[items]:
                yield item
            cursor = page["next_cursor"]
            await asyncio.sleep(page.get("retry_after_seconds", 0))


def _answer(result: CallToolResult) -> Answer:
    if result.is_error:
        raise _refusal(result)
    return result.structured_content or {}


def _refusal(result: CallToolResult) -> HubError:
    text = "".join(part.text for part in result.content if isinstance(part, TextContent))
    try:
        return HubError.of(json.loads(text)["error"])
    except (ValueError, KeyError, TypeError):
        return HubError("unavailable", "Try again in a moment; the hub refused this call without saying why.")


def _given(**arguments: Any) -> Arguments:
    return {name: value for name, value in arguments.items() if value is not None}
