"""What makes a function an endpoint: who calls, what they say, and the answer or refusal they get."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any, TypeVar

import structlog
from starlette.convertors import Convertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from libs.contracts.base import Data, View
from libs.contracts.errors import Forbidden, Problem, Unavailable
from services.gateway.metrics import OK, note_call
from services.gateway.people.answers import Markdown, answer, refusal
from services.gateway.people.bodies import read, schema_read
from services.gateway.session import Session
from services.gateway.transport.body import ClientGone

CRASHED = "Look whether it was done before you try again; the operator finds the cause in the log."
CLIENT_CLOSED_REQUEST = 499

Said = TypeVar("Said", bound=Data)
Answer = View | Markdown | None
Act = Callable[[Said, Session], Awaitable[Answer]]
SessionFactory = Callable[[Request], Awaitable[Session]]
"""Raises `Unauthenticated` or `LimitExceeded`."""

log = structlog.get_logger()


class AnyText(Convertor[str]):
    """What is left of a path, whatever it holds: Starlette's own `path` ends at the end of a line."""

    regex = r"[\s\S]*"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("text", AnyText())


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A function of the API: where it is, what it reads and how it answers."""

    method: str
    path: str
    reads: type[Data]
    status: int
    act: Callable[[Any, Session], Awaitable[Answer]]

    def route(self, prefix: str, sessions: SessionFactory) -> Route:
        """The endpoint for Starlette, below `prefix`."""

        async def serve(request: Request) -> Response:
            started = perf_counter()
            said = await self._said(request, sessions)
            if isinstance(said, Problem):
                note_call("api", self.act.__name__, said.data.code, started)
                return refusal(said)
            note_call("api", self.act.__name__, OK, started)
            return said

        return Route(prefix + self.path, serve, methods=[self.method], name=self.act.__name__)

    async def _said(self, request: Request, sessions: SessionFactory) -> Response | Problem:
        try:
            return await self._answer(request, sessions)
        except Problem as problem:
            return problem
        except ClientGone:
            return Response(status_code=CLIENT_CLOSED_REQUEST)
        except Exception:
            log.exception("endpoint crashed", endpoint=self.act.__name__)
            return Unavailable(CRASHED)

    async def _answer(self, request: Request, sessions: SessionFactory) -> Response:
        session = await sessions(request)
        if session.caller.kind not in ("person", "operator"):
            raise Forbidden("Use a person's or the operator's token here; agents and devices call the tools at /mcp.")
        said = await read(request, self.reads)
        session.take_key(said, schema_read(self.reads))
        return answer(await self.act(said, session), self.status)


ENDPOINTS: list[Endpoint] = []


def endpoint(method: str, path: str, reads: type[Said], status: int = 200) -> Callable[[Act[Said]], Act[Said]]:
    """Make a function answer `method` and `path`; it is given what they and the body say as a `reads`."""

    def register(act: Act[Said]) -> Act[Said]:
        ENDPOINTS.append(Endpoint(method, path, reads, status, act))
        return act

    return register
