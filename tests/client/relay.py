"""A line to a server that tests can cut and mend."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit


class Relay:
    """Forwards connections from one port to a server's."""

    def __init__(self, target: str) -> None:
        self._target = urlsplit(target)
        self._writers: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None
        self.port = 0

    @property
    def url(self) -> str:
        """Where the relay listens."""
        return f"http://127.0.0.1:{self.port}"

    async def mend(self) -> None:
        """Listen, on the same port each time."""
        self._server = await asyncio.start_server(self._forward, "127.0.0.1", self.port, reuse_address=True)
        self.port = self._server.sockets[0].getsockname()[1]

    async def cut(self) -> None:
        """Drop all connections and refuse new ones."""
        assert self._server is not None
        self._server.close()
        for writer in self._writers:
            writer.transport.abort()
        await self._server.wait_closed()

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection(self._target.hostname, self._target.port)
        self._writers |= {writer, back}
        await asyncio.gather(_copy(reader, back), _copy(there, writer))
        self._writers -= {writer, back}


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        return
    finally:
        writer.close()


@asynccontextmanager
async def relayed(target: str) -> AsyncIterator[Relay]:
    """A relay that is listening."""
    relay = Relay(target)
    await relay.mend()
    try:
        yield relay
    finally:
        await relay.cut()
