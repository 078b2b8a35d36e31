"""Events of the other services: consumed once, retried, and put aside when they keep failing (R42)."""

from __future__ import annotations

import structlog
from faststream.redis import RedisBroker
from redis.asyncio import Redis

from libs.bus import streams
from libs.bus.connection import Writer, ensure_group
from libs.bus.dead_letters import bury, consume
from libs.bus.envelope import FIELD, decode_event
from libs.bus.execution import Executor
from libs.bus.handlers import CONSUMERS
from libs.bus.metrics import EVENTS
from libs.bus.reading import Entries, read_batches
from libs.contracts.base import Event
from libs.storage import is_outage

log = structlog.get_logger()

BATCH = 64


class EventLane:
    """Reads one service's events for another, as a group of its own."""

    def __init__(
        self, consumer_of: str, source: str, broker: RedisBroker, writer: Writer, executor: Executor, consumer: str
    ) -> None:
        self.service = consumer_of
        self.source = source
        self.stream = streams.events(source)
        self._writer = writer
        self._executor = executor
        self._consumer = consumer
        self._kinds = {kind.type_name: kind for kind in CONSUMERS[consumer_of] if kind.source == source}
        self.subscriber = read_batches(
            broker, self.stream, group=consumer_of, consumer=consumer, at_once=BATCH, handle=self._take
        )

    async def prepare(self, client: Redis) -> None:
        """Create the group before anything is read."""
        await ensure_group(client, self.stream, self.service)

    async def _take(self, entries: Entries) -> None:
        for entry_id, data in entries:
            if await self._failure(data) is None:
                self._writer.tell("XACK", self.stream, self.service, entry_id)

    async def _failure(self, data: bytes) -> Exception | None:
        """Handle an event in a transaction of its own; what went wrong, if anything did."""
        event_id = None
        try:
            event_id, name, body = decode_event(data)
            if (kind := self._kinds.get(name)) is not None:
                await self._consume(event_id, kind.model_validate(body))
        except Exception as error:
            told = {"stream": self.stream, "event_id": event_id, "error": type(error).__name__}
            log.error("event not handled", **told, exc_info=not is_outage(error))
            EVENTS.labels(self.service, "failed").inc()
            return error
        EVENTS.labels(self.service, "consumed").inc()
        return None

    async def _consume(self, event_id: str, event: Event) -> None:
        async with self._executor.begin(event_id) as work:
            await consume(self.service, event_id, event, work)

    async def retry(self, client: Redis) -> None:
        """Take up what failed or was left by a dead consumer; after five tries it becomes a dead letter."""
        idle = int(1000 * self._executor.policy.event_retry_seconds)
        start: bytes | str = "0-0"
        while True:
            start, entries, *_ = await client.xautoclaim(
                self.stream, self.service, self._consumer, idle, start_id=start, count=BATCH
            )
            for entry_id, fields in entries:
                await self._try_again(client, entry_id, fields.get(FIELD, b""))
            if start in (b"0-0", "0-0"):
                return

    async def _try_again(self, client: Redis, entry_id: bytes, data: bytes) -> None:
        failure = await self._failure(data)
        if failure is not None:
            deliveries = await self._deliveries(client, entry_id)
            if deliveries < self._executor.policy.event_retries or is_outage(failure):
                return
            await self._bury(data, failure, deliveries)
        self._writer.tell("XACK", self.stream, self.service, entry_id)

    async def _deliveries(self, client: Redis, entry_id: bytes) -> int:
        pending = await client.xpending_range(self.stream, self.service, entry_id, entry_id, 1)
        return int(pending[0]["times_delivered"]) if pending else 0

    async def _bury(self, data: bytes, failure: Exception, deliveries: int) -> None:
        try:
            event_id, name, body = decode_event(data)
        except Exception:
            log.error("unreadable event dropped", stream=self.stream)
            return
        async with self._executor.begin(event_id) as work:
            await bury(event_id, name, body, failure, deliveries, work)
        EVENTS.labels(self.service, "dead_letter").inc()
        log.error("event is a dead letter", service=self.service, kind=name, event_id=event_id)
