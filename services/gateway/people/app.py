"""The API as one mounted app."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from services.gateway.people import (
    agents,
    dead_letters,
    devices,
    inbox,
    keys,
    members,
    memory,
    people,
    projects,
    requests,
    rooms,
    runs,
    tasks,
    teams,
)
from services.gateway.people.answers import unrouted
from services.gateway.people.endpoint import ENDPOINTS, SessionFactory
from services.gateway.people.openapi import describe

PREFIX = "/api/v1"
NOUNS = (
    agents,
    dead_letters,
    devices,
    inbox,
    keys,
    members,
    memory,
    people,
    projects,
    requests,
    rooms,
    runs,
    tasks,
    teams,
)


def routes(sessions: SessionFactory) -> list[BaseRoute]:
    """All endpoints below `/api/v1` and their description; `sessions` says who calls."""
    served = [endpoint.route(sessions) for endpoint in ENDPOINTS]
    served.append(Route("/openapi.json", _described))
    return [Mount(PREFIX, app=Starlette(routes=served, exception_handlers={HTTPException: unrouted}))]


async def _described(request: Request) -> Response:
    return JSONResponse(describe(ENDPOINTS, PREFIX))
