"""One service as one process, until SIGTERM."""

from __future__ import annotations

import asyncio
import gc
import importlib
import signal
import socket
from collections.abc import Coroutine
from contextlib import nullcontext
from types import FrameType
from typing import Any, TypeVar

import uvicorn
import uvloop
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from libs.runtime.listening import BACKLOG
from libs.runtime.logs import start_logging
from libs.runtime.service import RunningService
from libs.runtime.settings import Settings

SERVICES = ("gateway", "rooms", "tasks", "pulse", "runs")
KEEP_ALIVE_SECONDS = 75

Started = TypeVar("Started")


def serve(name: str, settings: Settings) -> None:
    """Run a service until it is told to stop; everything it began is finished then."""
    start_logging(name, settings.log_level, settings.log_format)
    uvloop.run(_serve_gateway(settings) if name == "gateway" else _serve_service(name, settings))


def keep_what_is_loaded() -> None:
    """Spare the garbage collector the modules, which stay to the end: its longest pauses go through all of them."""
    gc.collect()
    gc.freeze()


class DrainingServer(uvicorn.Server):
    """Tells the app of SIGTERM at once, so that open waits answer; uvicorn alone would wait for them."""

    def __init__(self, config: uvicorn.Config, drain: Any) -> None:
        super().__init__(config)
        self._drain = drain

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._drain()
        super().handle_exit(sig, frame)


async def _serve_gateway(settings: Settings) -> None:
    app = importlib.import_module("services.gateway.app").GatewayApp(settings)
    config = _http_config(app, settings, settings.port)
    keep_what_is_loaded()
    await DrainingServer(config, app.gateway.drain).serve(_inherited(settings))


def _inherited(settings: Settings) -> list[socket.socket] | None:
    return None if settings.listener is None else [socket.socket(fileno=settings.listener)]


def _http_config(app: Any, settings: Settings, port: int) -> uvicorn.Config:
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


async def _serve_service(name: str, settings: Settings) -> None:
    stopping = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopping.set)
    service = importlib.import_module(f"services.{name}.app").service
    running: RunningService | None = await _unless(stopping, service.start(settings))
    if running is None:
        return
    keep_what_is_loaded()
    health = _HealthServer(running, settings) if settings.health_port or settings.listener else None
    if health is not None:
        await health.start()
    await stopping.wait()
    await running.stop()
    if health is not None:
        await health.stop()


async def _unless(stopping: asyncio.Event, start: Coroutine[Any, Any, Started]) -> Started | None:
    """What `start` brings; None when told to stop before, for it may wait for Redis for ever."""
    starting, told = asyncio.create_task(start), asyncio.create_task(stopping.wait())
    await asyncio.wait({starting, told}, return_when=asyncio.FIRST_COMPLETED)
    told.cancel()
    if starting.done():
        return starting.result()
    starting.cancel()
    return None


class _HealthServer:
    """Answers `/healthz` (alive) and `/readyz` (takes commands) beside a service."""

    def __init__(self, running: RunningService, settings: Settings) -> None:
        self._running = running
        app = Starlette(routes=[Route("/healthz", self._alive), Route("/readyz", self._ready)])
        self._server = _QuietServer(_http_config(app, settings, settings.health_port))
        self._sockets = _inherited(settings)
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        self._task = asyncio.create_task(self._server.serve(self._sockets))

    async def stop(self) -> None:
        self._server.should_exit = True
        if self._task is not None:
            await self._task

    async def _alive(self, request: Request) -> Response:
        return JSONResponse({"status": "alive"})

    async def _ready(self, request: Request) -> Response:
        ready = self._running.bus.healthy
        return JSONResponse({"status": "ready" if ready else "not ready"}, status_code=200 if ready else 503)


class _QuietServer(uvicorn.Server):
    """Leaves the signals to the service beside it."""

    def capture_signals(self) -> Any:
        return nullcontext()
