"""The ASGI app that stands at `/mcp`."""

from collections.abc import Collection, Sequence
from typing import Any, Protocol

import structlog
from mcp.server.lowlevel import Server
from starlette.types import Receive, Scope, Send

from services.gateway.transport.body import ClientGone, read_body
from services.gateway.transport.door import Door
from services.gateway.transport.eras import check_notification, connect
from services.gateway.transport.exchange import Exchange
from services.gateway.transport.message import read_message
from services.gateway.transport.responses import Refused, http_refusal, refuse, respond
from services.gateway.transport.streaming import hold_wait, stream_wait

_CHALLENGE = [(b"www-authenticate", b'Bearer error="invalid_token"')]
_log = structlog.get_logger()


class Unauthenticated(Exception):
    """No token, or one that is unknown or ended; answered 401."""


class Forbidden(Exception):
    """A token that is good but not for this door; its message is answered with 403."""


class Authenticator(Protocol):
    """Turns the bearer token of a request into its caller."""

    async def __call__(self, token: str | None) -> Any:
        """The caller, handed to handlers as `ctx.request`; raises `Unauthenticated` or `Forbidden`."""


class McpTransport:
    """MCP over HTTP for one `Server`, without sessions and in both protocol eras.

    `waits` names the tools whose calls stay open. They are answered as an event stream, with a comment every
    `ping_seconds`, to clients that accept one, and end when the client goes away; everything else is answered as JSON.
    Empty `allowed_hosts` and `allowed_origins` mean loopback names; a pattern ending in `:*` takes any port,
    `*` whatever comes. `max_body` is in bytes.
    """

    def __init__(
        self,
        server: Server[Any],
        authenticate: Authenticator,
        *,
        waits: Collection[str],
        allowed_hosts: Sequence[str] = (),
        allowed_origins: Sequence[str] = (),
        max_body: int = 1 << 20,
        ping_seconds: float = 15.0,
    ) -> None:
        self._server = server
        self._authenticate = authenticate
        self._waits = frozenset(waits)
        self._door = Door(allowed_hosts, allowed_origins)
        self._max_body = max_body
        self._ping_seconds = ping_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._serve(scope, receive, send)
        except Refused as refused:
            await refuse(send, refused)
        except ClientGone:
            return

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = {name.decode("latin-1"): value.decode("latin-1").strip() for name, value in scope["headers"]}
        self._door.check(scope["method"], headers)
        caller = await self._caller(headers)
        message = read_message(await read_body(headers, receive, self._max_body))
        if message.id is None:
            check_notification(message, headers)
            return await respond(send, 202)
        exchange = Exchange(self._server, message, connect(message, headers, scope["headers"]), caller)
        if message.tool not in self._waits:
            answer = await exchange.answer()
            return await respond(send, answer.status, answer.payload)
        if "text/event-stream" in headers.get("accept", ""):
            return await stream_wait(exchange, receive, send, self._ping_seconds)
        return await hold_wait(exchange, receive, send)

    async def _caller(self, headers: dict[str, str]) -> Any:
        try:
            return await self._authenticate(_bearer(headers.get("authorization", "")))
        except Unauthenticated:
            raise http_refusal(401, "invalid_token", "Send a valid token as a bearer token.", _CHALLENGE) from None
        except Forbidden as forbidden:
            raise http_refusal(403, "forbidden", str(forbidden)) from None
        except Exception as problem:
            _log.error("authentication crashed", exc_info=problem)
            raise http_refusal(503, "unavailable", "Try again in a moment.", [(b"retry-after", b"1")]) from None


def _bearer(authorization: str) -> str | None:
    scheme, _, token = authorization.partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None
