"""Calls that stay open, over real HTTP in both eras."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx

from tests.gateway.transport.tiny import (
    MODERN,
    Tools,
    both_eras,
    call,
    stream,
)


@both_eras
async def test_a_wait_streams_at_once_then_progress_then_its_answer(
    client: httpx.AsyncClient, tools: Tools, version: str
) -> None:
    async with stream(client, "wait", version, _meta={"progressToken": "p"}) as response:
        assert response.headers["content-type"] == "text/event-stream"
        lines = response.aiter_lines()
        assert (await anext(lines)).startswith(":")
        messages = [await next_message(lines)]
        tools.release.set()
        messages.append(await next_message(lines))
    assert messages[0]["method"] == "notifications/progress"
    assert messages[0]["params"] == {"progressToken": "p", "progress": 1.0, "total": 2.0, "message": "half way"}
    assert messages[1]["result"]["content"][0]["text"] == "woken"


async def next_message(lines: AsyncIterator[str]) -> dict[str, Any]:
    async for line in lines:
        if line.startswith("data: "):
            message: dict[str, Any] = json.loads(line.removeprefix("data: "))
            return message
    raise AssertionError("the stream ended")


@both_eras
async def test_no_progress_is_reported_without_a_token(client: httpx.AsyncClient, tools: Tools, version: str) -> None:
    tools.release.set()
    async with stream(client, "wait", version) as response:
        messages = [line async for line in response.aiter_lines() if line.startswith("data: ")]
    assert len(messages) == 1


async def test_a_quiet_wait_is_kept_open_by_pings(client: httpx.AsyncClient, tools: Tools) -> None:
    async with stream(client, "wait", MODERN) as response:
        pings = 0
        async for line in response.aiter_lines():
            pings += line == ": ping"
            if pings == 3:
                tools.release.set()
    assert pings >= 3


@both_eras
async def test_a_wait_is_answered_with_json_to_a_client_that_takes_no_stream(
    client: httpx.AsyncClient, tools: Tools, version: str
) -> None:
    tools.release.set()
    response = await call(client, "wait", version)
    assert response.headers["content-type"] == "application/json"
    assert response.json()["result"]["content"][0]["text"] == "woken"


@both_eras
async def test_a_wait_that_crashes_ends_its_stream_with_an_error(client: httpx.AsyncClient, version: str) -> None:
    async with stream(client, "wait_and_crash", version) as response:
        message = await next_message(response.aiter_lines())
    assert message["error"] == {"code": -32603, "message": "Internal server error"}


@both_eras
async def test_leaving_a_streamed_wait_cancels_it(client: httpx.AsyncClient, tools: Tools, version: str) -> None:
    """R25."""
    async with stream(client, "wait", version):
        await asyncio.wait_for(tools.waiting.wait(), 10)
    await asyncio.wait_for(tools.cancelled.wait(), 10)


@both_eras
async def test_leaving_a_wait_that_would_answer_with_json_cancels_it(
    client: httpx.AsyncClient, tools: Tools, version: str
) -> None:
    """R25."""
    waiting = asyncio.create_task(call(client, "wait", version))
    await asyncio.wait_for(tools.waiting.wait(), 10)
    waiting.cancel()
    await asyncio.wait_for(tools.cancelled.wait(), 10)
