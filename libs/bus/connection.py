"""Connections to Redis: retried, and written to in pipelines."""

from __future__ import annotations

import asyncio
from typing import Any

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import ExponentialWithJitterBackoff
from redis.exceptions import BusyLoadingError, ConnectionError, ReadOnlyError, ResponseError, TimeoutError

RETRIED = [ConnectionError, TimeoutError, ReadOnlyError, BusyLoadingError]
BLOCK_MS = 1000
SOCKET_TIMEOUT_SECONDS = 10.0


def connection_settings() -> dict[str, Any]:
    """What rides through a restart or a failover of Redis in a fraction of a second."""
    return {
        "retry": Retry(ExponentialWithJitterBackoff(base=0.05, cap=0.5), 20),
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
        self._waiting: list[tuple[tuple[Any, ...], asyncio.Future[Any]]] = []
        self._flushing: asyncio.Task[None] | None = None

    def execute(self, *command: Any) -> asyncio.Future[Any]:
        """Send a command; the future holds its answer or error."""
        answer = asyncio.get_running_loop().create_future()
        self._waiting.append((command, answer))
        if self._flushing is None:
            self._flushing = asyncio.create_task(self._flush())
        return answer

    def tell(self, *command: Any) -> None:
        """Send a command whose failure is made good elsewhere (by a re-send or a sweep)."""
        self.execute(*command).add_done_callback(_retrieved)

    async def drain(self) -> None:
        """Wait until everything issued so far is answered."""
        while self._flushing is not None:
            await asyncio.shield(self._flushing)

    async def _flush(self) -> None:
        try:
            while self._waiting:
                batch, self._waiting = self._waiting, []
                await self._send(batch)
        finally:
            self._flushing = None

    async def _send(self, batch: list[tuple[tuple[Any, ...], asyncio.Future[Any]]]) -> None:
        pipeline = self._client.pipeline(transaction=False)
        for command, _ in batch:
            pipeline.execute_command(*command)
        try:
            answers = await pipeline.execute(raise_on_error=False)
        except Exception as error:
            answers = [error] * len(batch)
        for (_, future), answer in zip(batch, answers, strict=True):
            if future.done():
                continue
            if isinstance(answer, Exception):
                future.set_exception(answer)
            else:
                future.set_result(answer)


def _retrieved(future: asyncio.Future[Any]) -> None:
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
    """Redis's `run_id` and `master_replid`: others mean that its data may be others too (R43)."""
    server = await client.info("server")
    replication = await client.info("replication")
    return server["run_id"], replication["master_replid"]
