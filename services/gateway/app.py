"""The ASGI app: MCP at `/mcp`, the HTTP API at `/api/v1`, health."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.routing import BaseRoute, Route

from libs.bus.execution import Clock
from libs.contracts.errors import Unauthenticated as NoSuchToken
from libs.runtime.probes import health_routes
from libs.runtime.service import utc_now
from libs.runtime.settings import Settings
from services.gateway.calls import build_server
from services.gateway.directory import handlers as directory
from services.gateway.gateway import Gateway
from services.gateway.people import routes, unrouted
from services.gateway.session import Session
from services.gateway.transport import Forbidden, McpTransport, Unauthenticated

WAITS = ("wait_for_mention", "wait_for_updates")
VERSION = "0.1.0"

__all__ = ["GatewayApp", "directory"]


class GatewayApp(Starlette):
    """One gateway process as an ASGI app."""

    def __init__(self, settings: Settings, clock: Clock = utc_now) -> None:
        self.gateway = Gateway(settings, clock)
        unserved = {HTTPException: unrouted}
        super().__init__(routes=self._routes(settings), exception_handlers=unserved, lifespan=self._lifespan)

    def _routes(self, settings: Settings) -> list[BaseRoute]:
        transport = McpTransport(
            build_server(VERSION),
            self._agent,
            waits=WAITS,
            allowed_hosts=settings.allowed_hosts,
            allowed_origins=settings.allowed_origins,
        )
        return [
            Route("/mcp", transport),
            *health_routes(self.gateway.obstacles),
            *routes(self._person),
        ]

    @asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        await self.gateway.start()
        yield
        await self.gateway.stop()

    async def _agent(self, token: str | None) -> Session:
        """The session of an MCP call: agents only."""
        try:
            session = await self.gateway.session(token)
        except NoSuchToken as problem:
            raise Unauthenticated from problem
        if not (session.caller.acts_as_agent or session.caller.is_device):
            raise Forbidden("Use an agent's key here; persons and operators use the HTTP API and the prickle command.")
        return session

    async def _person(self, request: Request) -> Session:
        """The session of a call to the HTTP API."""
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        session = await self.gateway.session(token.strip() or None if scheme.lower() == "bearer" else None)
        if session.refusal is not None:
            raise session.refusal
        return session
