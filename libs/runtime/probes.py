"""What a process answers to those who watch it: `/healthz`, `/readyz`, `/metrics`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from prometheus_client import CONTENT_TYPE_LATEST, disable_created_metrics, generate_latest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from libs.runtime.http import ServerBeside, http_config, inherited
from libs.runtime.settings import Settings

STARTING = "it is starting"
STOPPING = "it is stopping"

Obstacles = Callable[[], Awaitable[list[str]]]
"""Why a process does not do its work now, in a few words each; nothing when it does."""


def health_routes(obstacles: Obstacles) -> list[BaseRoute]:
    """`/healthz`: the loop runs, whatever else is away. `/readyz`: the process does its work, or why it does not."""

    async def alive(request: Request) -> Response:
        return JSONResponse({"status": "alive"})

    async def ready(request: Request) -> Response:
        if because := await obstacles():
            return JSONResponse({"status": "not ready", "because": because}, status_code=503)
        return JSONResponse({"status": "ready"})

    return [Route("/healthz", alive), Route("/readyz", ready)]


@asynccontextmanager
async def probed(settings: Settings, obstacles: Obstacles, *, on_listener: bool) -> AsyncIterator[None]:
    """Answer probes while the block lasts, on the inherited socket or on the health port, if there is either.

    `on_listener` is false where the inherited socket is for the process's own callers.
    """
    sockets = inherited(settings) if on_listener else None
    if sockets is None and not settings.health_port:
        yield
        return
    disable_created_metrics()  # type: ignore[no-untyped-call]
    app = Starlette(routes=[*health_routes(obstacles), Route("/metrics", _metrics)])
    server = ServerBeside(http_config(app, settings, settings.health_port), sockets)
    server.start()
    try:
        yield
    finally:
        await server.stop()


async def _metrics(request: Request) -> Response:
    return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)
