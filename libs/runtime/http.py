"""HTTP servers as our processes run them."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from contextlib import nullcontext
from types import FrameType
from typing import Any

import uvicorn

from libs.runtime.listening import BACKLOG
from libs.runtime.settings import Settings

KEEP_ALIVE_SECONDS = 75


def http_config(app: Any, settings: Settings, port: int) -> uvicorn.Config:
    """How an app is served."""
    return uvicorn.Config(
        app,
        host=settings.host,
        port=port,
        loop="uvloop",
        http="httptools",
        access_log=False,
        log_config=None,
        backlog=BACKLOG,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=int(settings.drain_seconds),
        server_header=False,
    )


def inherited(settings: Settings) -> list[socket.socket] | None:
    """The socket that the parent process opened for this one, if it did."""
    return None if settings.listener is None else [socket.socket(fileno=settings.listener)]


class DrainingServer(uvicorn.Server):
    """Tells the app of SIGTERM at once, so that open waits answer; uvicorn alone would wait for them."""

    def __init__(self, config: uvicorn.Config, drain: Callable[[], None]) -> None:
        super().__init__(config)
        self._drain = drain
        self._starting: asyncio.Task[None] | None = None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._drain()
        super().handle_exit(sig, frame)
        if self._starting is not None:
            self._starting.get_loop().call_soon_threadsafe(self._starting.cancel)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start the app, which may wait for Redis for ever, unless told to stop before."""
        self._starting = asyncio.create_task(super().startup(sockets))
        await asyncio.wait([self._starting])
        if not self._starting.cancelled():
            self._starting.result()
        self._starting = None


class ServerBeside(uvicorn.Server):
    """A server that runs beside what the process does, and leaves the signals to it."""

    def __init__(self, config: uvicorn.Config, sockets: list[socket.socket] | None) -> None:
        super().__init__(config)
        self._sockets = sockets
        self._task: asyncio.Task[None] | None = None

    def capture_signals(self) -> Any:
        return nullcontext()

    def start(self) -> None:
        """Begin to answer."""
        self._task = asyncio.create_task(self.serve(self._sockets))

    async def stop(self) -> None:
        """Answer what was asked and end."""
        self.should_exit = True
        if self._task is not None:
            await self._task
