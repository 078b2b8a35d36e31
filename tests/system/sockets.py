"""Calls over bare sockets: what well-behaved clients never do."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from tests.system.pair import Pair


@dataclass
class Line:
    """A connection on which a call was sent."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def read_until(self, text: bytes) -> bytes:
        """What was answered so far, up to `text`."""
        async with asyncio.timeout(10):
            return await self.reader.readuntil(text)

    def drop(self) -> None:
        """Be gone at once, without a goodbye: what is in the buffers is lost."""
        self.writer.transport.abort()


@asynccontextmanager
async def calling(pair: Pair, by: str, tool: str, **arguments: Any) -> AsyncIterator[Line]:
    """Send a call and leave the answer to be read, or not."""
    params = {"name": tool, "arguments": arguments}
    body, headers = pair.site.request(by, "tools/call", params, era=pair.era)
    at = urlsplit(pair.site.gateway.url)
    reader, writer = await asyncio.open_connection(at.hostname, at.port)
    lines = {"host": at.netloc, "content-length": str(len(body)), **headers}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    writer.write(f"POST {at.path} HTTP/1.1\r\n{head}\r\n".encode() + body)
    await writer.drain()
    try:
        yield Line(reader, writer)
    finally:
        writer.transport.abort()
