"""Waits: calls that stay open until something happens, and end when their client goes away (R25)."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine

from starlette.types import Receive, Send

from services.gateway.transport.exchange import Answer, Exchange
from services.gateway.transport.responses import respond

_HEADERS = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
]


async def stream_wait(exchange: Exchange, receive: Receive, send: Send, ping_seconds: float) -> None:
    """Answer a wait as server-sent events: a comment at once and in every quiet interval, progress, the response."""

    async def write(chunk: bytes, more: bool = True) -> None:
        await send({"type": "http.response.body", "body": chunk, "more_body": more})

    async def notify(payload: bytes) -> None:
        await write(_event(payload))

    async def ping() -> None:
        await write(b": ping\n\n")

    await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
    await write(b": waiting\n\n")
    answer = await _attend(exchange.answer(notify), receive, ping, ping_seconds)
    if answer is not None:
        await write(_event(answer.payload), more=False)


async def hold_wait(exchange: Exchange, receive: Receive, send: Send) -> None:
    """Answer a wait as one JSON response, for a client that takes no event stream."""
    answer = await _attend(exchange.answer(), receive)
    if answer is not None:
        await respond(send, answer.status, answer.payload)


async def _attend(
    work: Coroutine[None, None, Answer],
    receive: Receive,
    ping: Callable[[], Awaitable[None]] | None = None,
    ping_seconds: float | None = None,
) -> Answer | None:
    """Run `work` to its answer; None when the client left first, which cancels it."""
    handler, departure = asyncio.create_task(work), asyncio.create_task(_departure(receive))
    try:
        while not handler.done():
            await asyncio.wait({handler, departure}, timeout=ping_seconds, return_when=asyncio.FIRST_COMPLETED)
            if departure.done():
                return None
            if ping is not None and not handler.done():
                await ping()
        return handler.result()
    finally:
        handler.cancel()
        departure.cancel()
        await asyncio.gather(handler, departure, return_exceptions=True)


async def _departure(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _event(payload: bytes) -> bytes:
    return b"event: message\ndata: " + payload + b"\n\n"
