"""Readers that pause where Redis refuses them: FastStream would ask again at once and for ever."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import structlog
from redis.asyncio.retry import Retry
from redis.backoff import ExponentialWithJitterBackoff
from redis.exceptions import ResponseError

log = structlog.get_logger()

Answer = TypeVar("Answer")

FOR_EVER = -1
FOR_OTHERS = ("NOGROUP", "BUSYGROUP")
"""Refusals that say something about a group, for those who know what to do about it."""
FIRST_PAUSE_SECONDS = 0.1
LONGEST_PAUSE_SECONDS = 2.0


class Patience(Retry):
    """Asks again, after ever longer pauses, when Redis is away and when it refuses (`MISCONF`, `NOPERM`, …).

    redis-py gives each connection a copy of its retry; this one stays a single one, and so knows of all of them.
    """

    def __init__(self) -> None:
        super().__init__(ExponentialWithJitterBackoff(base=0.05, cap=0.5), FOR_EVER)
        self.refused = 0
        """How many readers are refused now."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Patience:
        return self

    async def call_with_retry(
        self, do: Callable[[], Awaitable[Answer]], fail: Callable[..., Any], *given: Any, **named: Any
    ) -> Answer:
        """Carry out a command; what redis-py itself retries is retried within."""
        refusals = 0
        try:
            while True:
                try:
                    return await super().call_with_retry(do, fail, *given, **named)
                except ResponseError as error:
                    self._note(error, first=not refusals)
                refusals += 1
                await asyncio.sleep(min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2**refusals))
        finally:
            self.refused -= bool(refusals)

    def _note(self, error: ResponseError, *, first: bool) -> None:
        if str(error).startswith(FOR_OTHERS):
            raise error
        if first:
            self.refused += 1
            log.error("Redis refuses to be read; asking again", error=str(error)[:200])
