"""Load on an MCP endpoint: bare keep-alive connections, so that the client takes little of the machine."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import urlsplit

import httptools
import orjson

VERSION = "2026-07-28"
META = {"io.modelcontextprotocol/protocolVersion": VERSION, "io.modelcontextprotocol/clientCapabilities": {}}
HEADERS = (
    "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    "Accept: application/json, text/event-stream\r\n"
    f"MCP-Protocol-Version: {VERSION}\r\nMcp-Method: tools/call\r\n"
)


class CallFailed(Exception):
    """A call that was refused or broke off; its argument is what came of it."""


def tool_call(tool: str, arguments: dict[str, Any], token: str = "") -> bytes:
    """A whole request that calls a tool."""
    params = {"name": tool, "arguments": arguments, "_meta": META}
    body = orjson.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    authorization = f"Authorization: Bearer {token}\r\n" if token else ""
    head = f"{HEADERS}{authorization}Mcp-Name: {tool}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


class Connection(asyncio.Protocol):
    """One keep-alive connection, which carries one call at a time."""

    def __init__(self) -> None:
        self._parser = httptools.HttpResponseParser(self)
        self._transport: asyncio.Transport | None = None
        self._begun: asyncio.Future[None] | None = None
        self._answer: asyncio.Future[bytes] | None = None
        self._body = bytearray()

    @classmethod
    async def open(cls, url: str) -> Connection:
        """A new connection to the server of a URL."""
        host, _, port = urlsplit(url).netloc.partition(":")
        _, connection = await asyncio.get_running_loop().create_connection(cls, host, int(port))
        return connection

    async def call(self, request: bytes) -> bytes:
        """Send a request and await its whole answer; raises `CallFailed`."""
        await self.begin(request)
        return await self.answer()

    async def begin(self, request: bytes) -> None:
        """Send a request and await the beginning of its answer, which a wait sends at once."""
        loop = asyncio.get_running_loop()
        self._begun, self._answer = loop.create_future(), loop.create_future()
        self._body.clear()
        assert self._transport is not None
        self._transport.write(request)
        await self._begun

    async def answer(self) -> bytes:
        """The rest of the answer; raises `CallFailed`."""
        assert self._answer is not None
        body = await self._answer
        if self._parser.get_status_code() != 200 or b'"isError":false' not in body:
            raise CallFailed(bytes(body))
        return body

    def close(self) -> None:
        """Hang up; an open wait ends with it."""
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def on_headers_complete(self) -> None:
        if self._begun is not None and not self._begun.done():
            self._begun.set_result(None)

    def on_body(self, data: bytes) -> None:
        self._body += data

    def on_message_complete(self) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(bytes(self._body))

    def connection_lost(self, error: Exception | None) -> None:
        for awaited in (self._begun, self._answer):
            if awaited is not None and not awaited.done():
                awaited.set_exception(CallFailed("the connection broke"))
                awaited.exception()


@dataclass(frozen=True)
class Timings:
    """How long calls took, in milliseconds, the shortest first, and how long all of them took together, in seconds."""

    milliseconds: list[float]
    seconds: float

    @property
    def calls_per_second(self) -> float:
        """Calls answered in a second."""
        return len(self.milliseconds) / self.seconds

    def percentile(self, percent: int) -> float:
        """What so many percent of the calls took at most."""
        return self.milliseconds[(len(self.milliseconds) - 1) * percent // 100]

    @property
    def latency(self) -> str:
        """How long a call took, for the table."""
        p50, p95, p99 = map(self.percentile, (50, 95, 99))
        return f"p50 {p50:.1f} ms, p95 {p95:.1f} ms, p99 {p99:.1f} ms"


async def load(url: str, requests: Sequence[bytes], seconds: float) -> Timings:
    """Send each request over a connection of its own, again and again for so long."""
    connections = await asyncio.gather(*(Connection.open(url) for _ in requests))
    taken: list[float] = []
    started = time.perf_counter()

    async def repeat(connection: Connection, request: bytes) -> None:
        while (sent := time.perf_counter()) < started + seconds:
            await connection.call(request)
            taken.append(1000 * (time.perf_counter() - sent))

    await asyncio.gather(*map(repeat, connections, requests))
    elapsed = time.perf_counter() - started
    for connection in connections:
        connection.close()
    return Timings(sorted(taken), elapsed)
