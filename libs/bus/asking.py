"""The gateway's side of the command lane: ask a service and await its reply by the command's id."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from redis.exceptions import RedisError

from libs.bus import streams
from libs.bus.connection import Writer
from libs.bus.envelope import FIELD, Order, Reply
from libs.bus.metrics import LATE, REFUSED, RESENT, UNANSWERED
from libs.contracts.base import Command, View
from libs.contracts.caller import Caller
from libs.contracts.errors import LimitExceeded, Problem, Unavailable
from libs.contracts.policy import Policy
from libs.storage import new_id

Answer = TypeVar("Answer", bound=View)

NO_REPLY = "The outcome is open: repeat the call with the same idempotency_key in a few seconds."
RETRY_SECONDS = 3


class Asker:
    """Many commands in flight over one reply stream."""

    def __init__(self, reply_to: str, writer: Writer, policy: Policy) -> None:
        self._reply_to = reply_to
        self._writer = writer
        self._policy = policy
        self._waiting: dict[str, asyncio.Future[Reply]] = {}
        self._under_way: Counter[str] = Counter()
        """Commands without an answer, by service."""

    async def ask(
        self,
        command: Command[Answer],
        caller: Caller,
        *,
        key: str | None = None,
        argument_hash: str = "",
        refusal: Problem | None = None,
    ) -> Answer:
        """The answer of the command's service; raises its `Problem`, or `Unavailable` after the deadline (R41)."""
        refused = refusal.data if refusal else None
        asked_ms = int(1000 * time.time())
        order = Order(new_id("cmd"), command, caller, key, argument_hash, self._reply_to, refused, asked_ms)
        return (await self.send(order)).read(command)

    async def send(self, order: Order) -> Reply:
        """Send an order, once more when it stays unanswered for three seconds, and await the reply; bounded (R45)."""
        with self._one_more(order) as replied:
            try:
                async with asyncio.timeout(self._policy.command_deadline_seconds):
                    return await self._sent_twice(order, replied)
            except (TimeoutError, RedisError, OSError) as error:
                UNANSWERED.labels(order.command.service).inc()
                raise Unavailable(NO_REPLY, retry_after_seconds=RETRY_SECONDS) from error

    @contextmanager
    def _one_more(self, order: Order) -> Iterator[asyncio.Future[Reply]]:
        """The future of an order's reply; refused before anything is written when its service has too much to do."""
        service = order.command.service
        if self._under_way[service] >= self._policy.commands_under_way:
            REFUSED.labels(service).inc()
            raise LimitExceeded("Too many calls are under way; repeat this one a little later.", retry_after_seconds=1)
        self._under_way[service] += 1
        self._waiting[order.command_id] = asyncio.get_running_loop().create_future()
        try:
            yield self._waiting[order.command_id]
        finally:
            del self._waiting[order.command_id]
            self._under_way[service] -= 1

    async def _sent_twice(self, order: Order, replied: asyncio.Future[Reply]) -> Reply:
        await self._write(order)
        done, _ = await asyncio.wait([replied], timeout=self._policy.resend_after_seconds)
        if not done:
            RESENT.labels(order.command.service).inc()
            await self._write(order)
        return await replied

    async def _write(self, order: Order) -> None:
        data = await order.encode()
        stream = streams.commands(order.command.service)
        await self._writer.execute("XADD", stream, "MAXLEN", "~", streams.COMMANDS_KEPT, "*", FIELD, data)

    def resolve(self, data: bytes) -> None:
        """Hand a reply to the call that waits for it; one that nobody waits for any more is dropped."""
        command_id, reply = Reply.decode(data)
        replied = self._waiting.get(command_id)
        if replied is None or replied.done():
            LATE.inc()
        else:
            replied.set_result(reply)
