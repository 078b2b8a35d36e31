"""One service as one process, until SIGTERM."""

from __future__ import annotations

import asyncio
import gc
import importlib
import signal
from collections.abc import Coroutine
from typing import Any, TypeVar

import uvloop

from libs.runtime.http import DrainingServer, http_config, inherited
from libs.runtime.logs import start_logging
from libs.runtime.probes import STARTING, STOPPING, probes
from libs.runtime.service import RunningService
from libs.runtime.settings import Settings

SERVICES = ("gateway", "rooms", "tasks", "pulse", "runs")

Started = TypeVar("Started")


def serve(name: str, settings: Settings) -> None:
    """Run a service until it is told to stop; everything it began is finished then."""
    start_logging(name, settings.log_level, settings.log_format)
    uvloop.run(_serve_gateway(settings) if name == "gateway" else _serve_service(name, settings))


def keep_what_is_loaded() -> None:
    """Spare the garbage collector the modules, which stay to the end: its longest pauses go through all of them."""
    gc.collect()
    gc.freeze()


async def _serve_gateway(settings: Settings) -> None:
    app = importlib.import_module("services.gateway.app").GatewayApp(settings)
    keep_what_is_loaded()
    beside = probes(settings, app.gateway.obstacles, on_listener=False)
    if beside is not None:
        beside.start()
    await DrainingServer(http_config(app, settings, settings.port), app.gateway.drain).serve(inherited(settings))


async def _serve_service(name: str, settings: Settings) -> None:
    stopping = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopping.set)
    service = importlib.import_module(f"services.{name}.app").service
    running: RunningService | None = None

    async def obstacles() -> list[str]:
        if stopping.is_set():
            return [STOPPING]
        return [STARTING] if running is None else await running.bus.obstacles()

    beside = probes(settings, obstacles, on_listener=True)
    if beside is not None:
        beside.start()
    running = await _unless(stopping, service.start(settings))
    if running is not None:
        keep_what_is_loaded()
        await stopping.wait()
        await running.stop()
    if beside is not None:
        await beside.stop()


async def _unless(stopping: asyncio.Event, start: Coroutine[Any, Any, Started]) -> Started | None:
    """What `start` brings; None when told to stop before, for it may wait for Redis for ever."""
    starting, told = asyncio.create_task(start), asyncio.create_task(stopping.wait())
    await asyncio.wait({starting, told}, return_when=asyncio.FIRST_COMPLETED)
    told.cancel()
    if starting.done():
        return starting.result()
    starting.cancel()
    return None
