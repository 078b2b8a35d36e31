"""The API as one mounted app."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Mount

from services.gateway.people import agents, keys, members, people, projects, teams
from services.gateway.people.answers import unrouted
from services.gateway.people.endpoint import ENDPOINTS, SessionFactory

PREFIX = "/api/v1"
NOUNS = (agents, keys, members, people, projects, teams)


def routes(sessions: SessionFactory) -> list[BaseRoute]:
    """All endpoints below `/api/v1`; `sessions` says who calls."""
    served = [endpoint.route(sessions) for endpoint in ENDPOINTS]
    return [Mount(PREFIX, app=Starlette(routes=served, exception_handlers={HTTPException: unrouted}))]
