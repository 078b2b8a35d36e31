"""The API as routes."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route

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
from services.gateway.people.endpoint import ENDPOINTS, SessionFactory
from services.gateway.people.openapi import describe
from services.gateway.people.page import page

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
    described = [Route(f"{PREFIX}/openapi.json", _described), Route(f"{PREFIX}/docs", _page)]
    return [*(endpoint.route(PREFIX, sessions) for endpoint in ENDPOINTS), *described]


async def _described(request: Request) -> Response:
    return JSONResponse(describe(ENDPOINTS, PREFIX))


async def _page(request: Request) -> Response:
    return HTMLResponse(page(describe(ENDPOINTS, PREFIX)))
