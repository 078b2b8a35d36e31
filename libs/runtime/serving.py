"""One service as one process, until SIGTERM."""

from __future__ import annotations

import asyncio
import gc
import importlib
import signal
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import structlog
import uvloop

from libs.runtime.directory_lock import CannotStart
from libs.runtime.http import DrainingServer, http_config, inherited
from libs.runtime.logs import start_logging
from libs.runtime.probes import STARTING, STOPPING, probed
from libs.runtime.service import RunningService
from libs.runtime.settings import Settings
from libs.storage import CannotOpen

SERVICES = ("gateway", "rooms", "tasks", "pulse", "runs")

log = structlog.get_logger()

Started = TypeVar("Started")


def serve(name: str, settings: Settings) -> None:
    """Run a service until it is told to stop; everything it began is finished then.

    Exits with a sentence in the log when its database or the operator's file is of no use; whoever runs it starts it
    again.
    """
    start_logging(name, settings.log_level, settings.log_format)
    try:
        uvloop.run(_serve(name, settings))
    except (CannotOpen, CannotStart) as error:
        log.critical("cannot start", reason=str(error))
        raise SystemExit(1) from None


async def _serve(name: str, settings: Settings) -> None:
    asyncio.get_running_loop().set_exception_handler(note_what_nobody_awaits)
    await (_serve_gateway(settings) if name == "gateway" else _serve_service(name, settings))


def note_what_nobody_awaits(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """A line for the search of a host that outlived the attempt to connect: an outage, and no mistake of ours."""
    error = context.get("exception")
    if "future" in context and isinstance(error, OSError):
        log.info("not connected", error=type(error).__name__)
    else:
        loop.default_exception_handler(context)


def keep_what_is_loaded() -> None:
    """Spare the garbage collector the modules, which stay to the end: its longest pauses go through all of them."""
    gc.collect()
    gc.freeze()


async def _serve_gateway(settings: Settings) -> None:
    app = importlib.import_module("services.gateway.app").GatewayApp(settings)
    keep_what_is_loaded()
    async with probed(settings, app.gateway.obstacles, on_listener=False):
        with _told_to_stop() as stopping:
            await _unless(stopping, app.gateway.open())
        if stopping.is_set():
            return
        await DrainingServer(http_config(app, settings, settings.port), app.gateway.drain).serve(inherited(settings))


async def _serve_service(name: str, settings: Settings) -> None:
    with _told_to_stop() as stopping:
        await _serve_until(stopping, name, settings)


async def _serve_until(stopping: asyncio.Event, name: str, settings: Settings) -> None:
    service = importlib.import_module(f"services.{name}.app").service
    running: RunningService | None = None

    async def obstacles() -> list[str]:
        if stopping.is_set():
            return [STOPPING]
        return [STARTING] if running is None else await running.bus.obstacles()

    async with probed(settings, obstacles, on_listener=True):
        running = await _unless(stopping, service.start(settings))
        if running is not None:
            keep_what_is_loaded()
            await stopping.wait()
            await running.stop()


@contextmanager
def _told_to_stop() -> Iterator[asyncio.Event]:
    """Set by SIGTERM and Ctrl-C as long as the block lasts."""
    loop, told = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, told.set)
    try:
        yield told
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)


async def _unless(stopping: asyncio.Event, start: Coroutine[Any, Any, Started]) -> Started | None:
    """What `start` brings; None when told to stop before, for it may wait for Redis for ever."""
    starting, told = asyncio.create_task(start), asyncio.create_task(stopping.wait())
    await asyncio.wait({starting, told}, return_when=asyncio.FIRST_COMPLETED)
    told.cancel()
    if starting.done():
        return starting.result()
    starting.cancel()
    return None
