"""What leaves after a commit: events and wake-ups; what got lost on the way is swept up (R42, R43)."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import orjson
import structlog
from redis.exceptions import RedisError

from libs.bus import streams
from libs.bus.connection import Writer, retrieved
from libs.bus.envelope import FIELD, Happening
from libs.bus.mailbox import WakeUp, recent_wakeups
from libs.bus.metrics import WAKEUPS
from libs.bus.outbox import events_since, mark_sent, unsent_events
from libs.contracts.base import Event

if TYPE_CHECKING:
    from libs.bus.execution import Committed, Executor

log = structlog.get_logger()

WAKEUPS_AT_ONCE = 16


class Publisher:
    """Publishes right after the commit, and again whatever did not arrive."""

    def __init__(self, service: str, writer: Writer) -> None:
        self.service = service
        self.announced: dict[str, type[Event]] = {
            kind.type_name: kind for kind in Event.__subclasses__() if kind.source == service
        }
        self._writer = writer
        self._sent: set[str] = set()
        self._running: set[asyncio.Task[bool]] = set()
        self._woken_until: datetime | None = None

    def publish(self, committed: Committed) -> None:
        """Publish what a transaction brought about; returns at once."""
        WAKEUPS.labels(self.service).inc(len(committed.wakeups))
        for told in self._wake(committed.wakeups):
            told.add_done_callback(retrieved)
        if committed.happenings:
            task = asyncio.create_task(self._announce(committed.happenings))
            self._running.add(task)
            task.add_done_callback(self._running.discard)

    def _wake(self, wakeups: list[WakeUp]) -> list[asyncio.Future[Any]]:
        """Tell the gateways that recipients have new entries."""
        stream = streams.updates(self.service)
        told = [[recipient, number, orjson.Fragment(entries)] for recipient, number, entries in wakeups]
        starts = range(0, len(told), WAKEUPS_AT_ONCE)
        parts = [orjson.dumps(told[start : start + WAKEUPS_AT_ONCE]) for start in starts]
        return [self._add(stream, streams.UPDATES_KEPT, part) for part in parts]

    async def _announce(self, happenings: list[Happening]) -> bool:
        """Put events on the service's stream; whether all of them got there."""
        stream = streams.events(self.service)
        adding = [self._add(stream, streams.EVENTS_KEPT, await item.encode()) for item in happenings]
        outcomes = await asyncio.gather(*adding, return_exceptions=True)
        failed = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
        if failed:
            log.warning("events not published yet", count=len(failed), error=type(failed[0]).__name__)
        self._sent.update(
            item.event_id
            for item, outcome in zip(happenings, outcomes, strict=True)
            if not isinstance(outcome, BaseException)
        )
        return not failed

    def _add(self, stream: str, kept: int, data: bytes) -> asyncio.Future[Any]:
        return self._writer.execute("XADD", stream, "MAXLEN", "~", kept, "*", FIELD, data)

    async def sweep(self, executor: Executor) -> None:
        """Publish what is older than two seconds and not sent, and wake recent recipients once more (R42).

        Waking again costs little: a wait that knows the number goes on sleeping.
        """
        margin = timedelta(seconds=executor.policy.outbox_sweep_seconds)
        before = executor.clock() - margin
        async with executor.database.read() as session:
            unsent = await unsent_events(session, self.announced, before)
            wakeups = await recent_wakeups(session, min(before, self._woken_until or before) - 2 * margin, before)
        await self._announce([item for item in unsent if item.event_id not in self._sent])
        await self.note_sent(executor)
        await asyncio.gather(*self._wake(wakeups))
        self._woken_until = before

    async def note_sent(self, executor: Executor) -> None:
        """Mark what was published; unmarked, it would be published again, which is harmless."""
        sent = list(self._sent)
        if sent:
            async with executor.database.write() as session:
                await mark_sent(session, sent, executor.clock())
            self._sent.difference_update(sent)

    async def publish_again(self, executor: Executor) -> None:
        """Publish the last hour once more: Redis lost its data (R43); raises when Redis does not take it all."""
        since = executor.clock() - timedelta(seconds=executor.policy.republish_seconds)
        async with executor.database.read() as session:
            wakeups = await recent_wakeups(session, since, executor.clock())
        await asyncio.gather(*self._wake(wakeups))
        last = ""
        while happenings := await self._events_since(executor, since, last):
            if not await self._announce(happenings):
                raise RedisError("not all events could be published again")
            last = happenings[-1].event_id

    async def _events_since(self, executor: Executor, since: datetime, after: str) -> list[Happening]:
        async with executor.database.read() as session:
            return await events_since(session, self.announced, since, after)

    async def drain(self) -> None:
        """Wait until what was being published has left."""
        if self._running:
            await asyncio.gather(*self._running, return_exceptions=True)
        await self._writer.drain()
