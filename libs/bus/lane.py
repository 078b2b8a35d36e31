"""The command lane of a service: batches in, replies and acknowledgements out in pipelines (R41)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

import structlog
from faststream.redis import RedisBroker
from redis.asyncio import Redis

from libs.bus import streams
from libs.bus.connection import Writer, ensure_group
from libs.bus.envelope import FIELD, Order, Reply
from libs.bus.execution import Executor
from libs.bus.handlers import COMMANDS
from libs.bus.metrics import BATCHES, DROPPED
from libs.bus.reading import Entries, read_batches, read_pending

log = structlog.get_logger()

BATCH = 64
BATCHES_AT_ONCE = 8
SLOW_SECONDS = 0.25


class CommandLane:
    """Takes the commands of one service; every replica is a consumer of the one group."""

    def __init__(self, service: str, broker: RedisBroker, writer: Writer, executor: Executor, consumer: str) -> None:
        self.service = service
        self.stream = streams.commands(service)
        self._writer = writer
        self._executor = executor
        self._consumer = consumer
        self._batches: set[asyncio.Task[None]] = set()
        self.subscriber = read_batches(
            broker, self.stream, group=service, consumer=consumer, at_once=BATCH, handle=self._take
        )

    async def prepare(self, client: Redis) -> None:
        """Create the group before anything is read."""
        await ensure_group(client, self.stream, self.service)

    async def _take(self, entries: Entries) -> None:
        """Answer a batch; the next is read when it is answered, or is slow and not too many are."""
        BATCHES.labels(self.service).observe(len(entries))
        batch = asyncio.create_task(self._answer(entries))
        self._batches.add(batch)
        batch.add_done_callback(self._batches.discard)
        await asyncio.wait([batch], timeout=SLOW_SECONDS)
        while len(self._batches) >= BATCHES_AT_ONCE:
            await asyncio.wait(self._batches, return_when=asyncio.FIRST_COMPLETED)

    async def _answer(self, entries: Entries) -> None:
        orders = [order for entry_id, data in entries if (order := self._order(entry_id, data)) is not None]
        await self._executor.answer_all(orders, self._reply)
        self._done([entry_id for entry_id, _ in entries])

    def _order(self, entry_id: bytes, data: bytes) -> Order | None:
        """The order in an entry; None when it is not understood or nobody waits for it any more."""
        try:
            order = Order.decode(data, entry_id, COMMANDS[self.service])
        except Exception as error:
            log.error("command not understood", service=self.service, error=type(error).__name__)
            DROPPED.labels(self.service, "not_understood").inc()
            return None
        deadline_ms = (order.asked_ms or 0) + 1000 * self._executor.policy.command_deadline_seconds
        if time.time() * 1000 < deadline_ms:
            return order
        DROPPED.labels(self.service, "late").inc()
        return None

    async def _reply(self, orders: Sequence[Order], replies: Sequence[Reply]) -> None:
        """Reply and acknowledge in one pipeline; a reply to a gateway that is gone is not kept under a new key."""
        for order, reply in zip(orders, replies, strict=True):
            data = await reply.encode(order.command_id)
            limit = ("MAXLEN", "~", streams.REPLIES_KEPT)
            self._writer.tell("XADD", order.reply_to, "NOMKSTREAM", *limit, "*", FIELD, data)
        self._done([order.entry_id for order in orders])

    def _done(self, entry_ids: Sequence[bytes]) -> None:
        self._writer.tell("XACK", self.stream, self.service, *entry_ids)
        self._writer.tell("XDEL", self.stream, *entry_ids)

    async def finish(self, client: Redis) -> None:
        """Answer what was begun, and what was read when reading stopped: its senders need not ask again."""
        if self._batches:
            await asyncio.wait(self._batches)
        await self._writer.drain()
        while entries := await read_pending(client, self.stream, self.service, self._consumer, BATCH):
            await self._answer(entries)
            await self._writer.drain()

    async def drop_abandoned(self, client: Redis) -> None:
        """Acknowledge what a dead consumer left: by now its senders were answered or gave up."""
        idle = int(1500 * self._executor.policy.command_deadline_seconds)
        start: bytes | str = "0-0"
        while True:
            start, entries, *_ = await client.xautoclaim(
                self.stream, self.service, self._consumer, idle, start_id=start, count=BATCH
            )
            if entries:
                self._done([entry_id for entry_id, _ in entries])
            if start in (b"0-0", "0-0"):
                return
