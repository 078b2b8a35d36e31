"""One MCP connection to a hub, owned by one task.

The SDK's client must be entered and left in the same task, and ends as a whole when a request cannot be sent. So a
task of its own holds it open, and every call is told when that task has ended.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from typing import Any, TypeVar

import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp_types import INVALID_PARAMS

from prickle.access import bearer, mcp_url
from prickle.errors import HubError, unexpected, unreachable

TIMEOUT = httpx2.Timeout(30.0, read=300.0)
REFUSED_AT_THE_DOOR = "Server returned an error response"
DOOR_CODES = {401: "unauthenticated", 403: "forbidden", 413: "invalid_input", 429: "limit_exceeded"}

T = TypeVar("T")


class Connection:
    """Keeps an SDK client open until it is closed or breaks."""

    def __init__(self, url: str, token: str, mode: str) -> None:
        self._url, self._headers, self._mode = mcp_url(url), bearer(token), mode
        self._closing = asyncio.Event()
        self._refused: HubError | None = None
        self._opened: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
        self._owner = asyncio.create_task(self._own())
        self._owner.add_done_callback(lambda owner: owner.cancelled() or owner.exception())

    @property
    def broken(self) -> bool:
        """Whether it has ended and cannot be called again."""
        return self._owner.done()

    async def client(self) -> Client:
        """The SDK's client, once the hub has said hello."""
        return await self.run(_value_of(self._opened))

    async def run(self, call: Coroutine[Any, Any, T]) -> T:
        """The outcome of a call, or `HubError`; also when the connection breaks before there is one."""
        calling = asyncio.create_task(call)
        try:
            await asyncio.wait({calling, self._owner}, return_when=asyncio.FIRST_COMPLETED)
            if not calling.done():
                raise self._reason(self._owner.exception())
            return await calling
        except MCPError as error:
            raise self._reason(error) from None
        finally:
            calling.cancel()

    async def close(self) -> None:
        """Say goodbye and wait until everything is closed."""
        self._closing.set()
        await asyncio.wait({self._owner})

    async def _own(self) -> None:
        hooks = {"response": [self._note_refusal]}
        async with httpx2.AsyncClient(headers=self._headers, timeout=TIMEOUT, event_hooks=hooks) as http:
            transport = streamable_http_client(self._url, http_client=http)
            async with Client(transport, mode=self._mode) as client:
                self._opened.set_result(client)
                await self._closing.wait()

    async def _note_refusal(self, response: httpx2.Response) -> None:
        """Remember why the hub's door refused: the SDK says only that it did."""
        if response.status_code >= 400:
            await response.aread()
            self._refused = _door_refusal(response)

    def _reason(self, error: BaseException | None) -> HubError:
        for cause in _leaves(error):
            if isinstance(cause, MCPError):
                return self._refusal(cause)
        return unreachable()

    def _refusal(self, error: MCPError) -> HubError:
        if error.code == INVALID_PARAMS:
            return HubError("invalid_input", error.message)
        if error.message == REFUSED_AT_THE_DOOR and self._refused is not None:
            return self._refused
        return HubError("unavailable", "Try again in a moment; the hub gave no answer to this call.")


def _door_refusal(response: httpx2.Response) -> HubError:
    try:
        description = response.json()["error_description"]
    except (ValueError, KeyError, TypeError):
        return unexpected(response.status_code)
    return HubError(DOOR_CODES.get(response.status_code, "unavailable"), description)


async def _value_of(future: asyncio.Future[T]) -> T:
    return await future


def _leaves(error: BaseException | None) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    elif error is not None:
        yield error
