"""What one gateway process reads: its replies and everybody's wake-ups, over one connection."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import orjson
import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

from libs.bus import streams
from libs.bus.connection import BLOCK_MS, end
from libs.bus.envelope import FIELD
from libs.bus.reading import by_stream
from libs.contracts.mailbox import ReadMailbox

log = structlog.get_logger()

READ_AT_ONCE = 500
REPLY_STREAM_SECONDS = 120
PAUSE_SECONDS = 0.2
LEAVE_SECONDS = 2.0

Wake = Callable[[str, str, int, list[Any]], None]
"""Called with recipient, service, the number of the newest entry, and the new entries if they rode along."""


class Follower:
    """Follows the reply stream and the update streams from the last ids it saw."""

    def __init__(self, client: Redis, gateway: str, resolve: Callable[[bytes], None], wake: Wake) -> None:
        self._client = client
        self.reply_stream = streams.replies(gateway)
        self._resolve = resolve
        self._wake = wake
        self._updates = {streams.updates(kind.service): kind.service for kind in ReadMailbox.__subclasses__()}
        self._seen: dict[Any, Any] = {}
        self._reads = True
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Create the reply stream, note where the update streams end, and follow them all."""
        await self._create_reply_stream()
        for stream in self._updates:
            newest = await self._client.xrevrange(stream, count=1)
            self._seen[stream] = newest[0][0] if newest else "0-0"
        self._task = asyncio.create_task(self._follow())

    async def stop(self) -> None:
        """Stop reading and remove the reply stream."""
        if self._task is not None:
            await end([self._task])
        with suppress(TimeoutError, RedisError, OSError):
            async with asyncio.timeout(LEAVE_SECONDS):
                await self._client.delete(self.reply_stream)

    async def beat(self) -> None:
        """Keep the reply stream alive; replies need it to exist (they make no new key)."""
        if not await self._client.expire(self.reply_stream, REPLY_STREAM_SECONDS):
            await self._create_reply_stream()

    async def start_over(self) -> None:
        """Redis's data may be others: create the reply stream again, read everything from 0 (R43)."""
        await self._create_reply_stream()
        self._seen.update(dict.fromkeys([self.reply_stream, *self._updates], "0-0"))

    @property
    def running(self) -> bool:
        """Whether the streams are being followed, and were readable when last asked for."""
        return self._task is not None and not self._task.done() and self._reads

    async def _create_reply_stream(self) -> None:
        if not await self._client.exists(self.reply_stream):
            await self._client.xadd(self.reply_stream, {FIELD: b""})
            self._seen[self.reply_stream] = "0-0"
        await self._client.expire(self.reply_stream, REPLY_STREAM_SECONDS)

    async def _follow(self) -> None:
        while True:
            asked = dict(self._seen)
            try:
                read = by_stream(await self._client.xread(asked, block=BLOCK_MS, count=READ_AT_ONCE))
            except Exception as error:
                await self._pause(error)
                continue
            self._reads = True
            for stream, entries in read:
                if self._seen[stream] == asked[stream]:
                    self._seen[stream] = entries[-1][0]
                self._hand_on(stream, [fields.get(FIELD, b"") for _, fields in entries])

    async def _pause(self, error: Exception) -> None:
        if self._reads:
            log.warning("streams not readable; asking again", error=type(error).__name__)
        self._reads = False
        await asyncio.sleep(PAUSE_SECONDS)

    def _hand_on(self, stream: str, bodies: list[bytes]) -> None:
        for body in bodies:
            try:
                if stream != self.reply_stream:
                    for recipient, number, *riding in orjson.loads(body):
                        self._wake(recipient, self._updates[stream], number, riding[0] if riding else [])
                elif body:
                    self._resolve(body)
            except Exception as error:
                log.error("stream entry not understood", stream=stream, error=type(error).__name__)
