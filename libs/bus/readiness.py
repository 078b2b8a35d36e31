"""Whether what a service stands on answers, asked over connections of their own: the others may be busy."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

import structlog
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from libs.storage import Database

log = structlog.get_logger()

ANSWER_SECONDS = 1.0
ANOTHER_TRY = Retry(NoBackoff(), 1)
"""The connection may be one that a restart of Redis broke."""

REDIS_AWAY = "Redis does not answer"
DATABASE_AWAY = "the database does not answer"


class Readiness:
    """Asks Redis and the database of one service."""

    def __init__(self, redis_url: str, database: Database) -> None:
        self._redis: Redis = Redis.from_url(
            redis_url, retry=ANOTHER_TRY, socket_timeout=ANSWER_SECONDS, socket_connect_timeout=ANSWER_SECONDS
        )
        self._database = database

    async def obstacles(self) -> list[str]:
        """What does not answer within a second; a Redis that takes no writes does not answer either."""
        redis, database = await asyncio.gather(_answers(self._redis.ping()), _answers(self._database.check()))
        return [away for away, there in ((REDIS_AWAY, redis), (DATABASE_AWAY, database)) if not there]

    async def close(self) -> None:
        """Close the connections."""
        await self._redis.aclose()


async def _answers(asked: Awaitable[object]) -> bool:
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            await asked
    except Exception as error:
        log.info("not ready", error=type(error).__name__)
        return False
    return True
