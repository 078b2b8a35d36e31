"""Connections to Redis: retried, and written to in pipelines."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterable, Sequence
from typing import Any

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import ExponentialWithJitterBackoff
from redis.exceptions import BusyLoadingError, ConnectionError, ReadOnlyError, ResponseError, TimeoutError

MARK = "prickle:mark"
RETRIED = [ConnectionError, TimeoutError, ReadOnlyError, BusyLoadingError]
BLOCK_MS = 1000
SOCKET_TIMEOUT_SECONDS = 10.0
FAILOVER_TRIES = 12
FAILOVER_PAUSE_SECONDS = 0.25
CANCELLED_AGAIN_SECONDS = 0.1
SENT_AT_ONCE = 1000
WAITING_AT_MOST = 20_000

Issued = tuple[tuple[Any, ...], "asyncio.Future[Any]"]
"""A command and the future of its answer."""


def connection_settings(tries: int = 20) -> dict[str, Any]:
    """What rides through a restart or a failover of Redis: twenty tries last about eight seconds."""
    return {
        "retry": Retry(ExponentialWithJitterBackoff(base=0.05, cap=0.5), tries),
        "retry_on_error": list(RETRIED),
        "max_connections": 64,
        "socket_timeout": SOCKET_TIMEOUT_SECONDS,
        "health_check_interval": 15,
    }


def connect(url: str) -> Redis:
    """A client that retries."""
    client: Redis = Redis.from_url(url, **connection_settings())
    return client


class Writer:
    """Commands issued while one pipeline is on the wire leave together in the next."""

    def __init__(self, client: Redis) -> None:
        self._client = client
        self._waiting: list[Issued] = []
        self._flushing: asyncio.Task[None] | None = None

    def execute(self, *command: Any) -> asyncio.Future[Any]:
        """Send a command, unless its future is cancelled before its turn; the future holds its answer or error."""
        answer = asyncio.get_running_loop().create_future()
        if len(self._waiting) >= WAITING_AT_MOST:
            answer.set_exception(ConnectionError("Redis does not keep up"))
            return answer
        self._waiting.append((command, answer))
        if self._flushing is None:
            self._flushing = asyncio.create_task(self._flush())
        return answer

    def tell(self, *command: Any) -> None:
        """Send a command whose failure is made good elsewhere (by a re-send or a sweep)."""
        self.execute(*command).add_done_callback(retrieved)

    async def drain(self) -> None:
        """Wait until everything issued so far is answered."""
        while self._flushing is not None:
            await asyncio.shield(self._flushing)

    async def _flush(self) -> None:
        try:
            while self._waiting:
                batch, self._waiting = self._waiting[:SENT_AT_ONCE], self._waiting[SENT_AT_ONCE:]
                await self._send([issued for issued in batch if not issued[1].done()])
        finally:
            self._flushing = None

    async def _send(self, batch: Sequence[Issued]) -> None:
        answers: Sequence[Any]
        try:
            answers = await self._answers([command for command, _ in batch])
        except Exception as error:
            answers = [error] * len(batch)
        for (_, future), answer in zip(batch, answers, strict=True):
            if future.done():
                continue
            if isinstance(answer, Exception):
                future.set_exception(answer)
            else:
                future.set_result(answer)

    async def _answers(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        """The answers, which only in the end may say that a failover is under way."""
        for _ in range(FAILOVER_TRIES):
            answers = await self._pipelined(commands)
            if not any(isinstance(answer, ReadOnlyError) for answer in answers):
                break
            await self._client.connection_pool.disconnect(inuse_connections=False)
            await asyncio.sleep(FAILOVER_PAUSE_SECONDS)
        return answers

    async def _pipelined(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        pipeline = self._client.pipeline(transaction=False)
        for command in commands:
            pipeline.execute_command(*command)
        return await pipeline.execute(raise_on_error=False)


def retrieved(future: asyncio.Future[Any]) -> None:
    """Note that nobody asks for a future's error."""
    if not future.cancelled():
        future.exception()


async def ensure_group(client: Redis, stream: str, group: str) -> None:
    """Create a consumer group at 0: FastStream would create it at the end and lose what was sent before."""
    try:
        await client.xgroup_create(stream, group, id="0", mkstream=True)
    except ResponseError as error:
        if "BUSYGROUP" not in str(error):
            raise


async def identity(client: Redis) -> tuple[str, str]:
    """Which server and which data: others mean that what was written before may be gone (R43).

    `run_id` and `master_replid` change with the server; the mark goes when the data is flushed.
    """
    server = await client.info("server")
    replication = await client.info("replication")
    mark = await client.get(MARK)
    if mark is None:
        await client.set(MARK, secrets.token_hex(8), nx=True)
        mark = await client.get(MARK)
    return server["run_id"], f"{replication['master_replid']} {mark!r}"


async def end(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancel tasks until they have ended: redis-py loses a cancellation that comes just before it looks for data."""
    left = set(tasks)
    while left:
        for task in left:
            task.cancel()
        _, left = await asyncio.wait(left, timeout=CANCELLED_AGAIN_SECONDS)
