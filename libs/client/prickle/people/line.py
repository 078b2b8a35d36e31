"""The line to a hub's HTTP API that all its parts share."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import httpx2

from prickle.errors import HubError, unexpected, unreachable

ASKED_IN_THE_QUERY = ("GET", "DELETE")


class Line:
    """Sends what is given and answers what came back, or raises `HubError`."""

    def __init__(self, http: httpx2.AsyncClient) -> None:
        self._http = http

    async def _send(self, method: str, *path: str, **said: Any) -> Any:
        """The JSON that an endpoint answers; None where it answers nothing."""
        response = await self._ask(method, path, said)
        try:
            return response.json() if response.content else None
        except ValueError:
            raise unexpected(response.status_code) from None

    async def _page(self, *path: str, **said: Any) -> str:
        """The text that an endpoint answers."""
        return (await self._ask("GET", path, said)).text

    async def _ask(self, method: str, path: tuple[str, ...], said: dict[str, Any]) -> httpx2.Response:
        given = {name: value for name, value in said.items() if value is not None}
        url = "/".join(quote(part, safe="") for part in path)
        sent: dict[str, Any] = {"params": given} if method in ASKED_IN_THE_QUERY else {"json": given or None}
        try:
            response = await self._http.request(method, url, **sent)
        except httpx2.HTTPError:
            raise unreachable() from None
        if not response.is_success:
            raise _refusal(response)
        return response


def _refusal(response: httpx2.Response) -> HubError:
    try:
        return HubError.of(response.json()["error"])
    except (ValueError, KeyError, TypeError):
        return unexpected(response.status_code)
