"""What persons and operators do on a hub, over its HTTP API."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2

from prickle.access import api_url, bearer
from prickle.people.dead_letters import DeadLettersApi
from prickle.people.devices import DevicesApi
from prickle.people.directory import DirectoryApi
from prickle.people.memory import MemoryApi
from prickle.people.projects import ProjectsApi
from prickle.people.requests import RequestsApi
from prickle.people.rooms import RoomsApi
from prickle.people.runs import RunsApi
from prickle.people.tasks import TasksApi

__all__ = ["PeopleApi"]

TIMEOUT_SECONDS = 30.0


class PeopleApi(
    DirectoryApi, DevicesApi, ProjectsApi, RoomsApi, MemoryApi, TasksApi, RequestsApi, RunsApi, DeadLettersApi
):
    """The HTTP API, a method per endpoint; every method raises `HubError`. Times are RFC 3339 texts.

    Fields given as None are left out of what is sent.
    """

    @classmethod
    @asynccontextmanager
    async def connect(cls, url: str, token: str) -> AsyncIterator[PeopleApi]:
        """The API of the hub at any of its URLs, for the person or operator whose token it is."""
        async with httpx2.AsyncClient(base_url=api_url(url), headers=bearer(token), timeout=TIMEOUT_SECONDS) as http:
            yield cls(http)
