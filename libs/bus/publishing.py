"""What leaves after a commit: events and wake-ups; what got lost on the way is swept up (R42, R43)."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from datetime import timedelta
from typing import TYPE_CHECKING

import orjson
import structlog

from libs.bus import streams
from libs.bus.connection import Writer
from libs.bus.envelope import FIELD, Happening
from libs.bus.mailbox import WakeUp, recent_wakeups
from libs.bus.outbox import mark_sent, recent_events, unsent_events
from libs.contracts.base import Event

if TYPE_CHECKING:
    from libs.bus.execution import Committed, Executor

log = structlog.get_logger()

WAKEUPS_AT_ONCE = 200


class Publisher:
    """Publishes right after the commit, and again whatever did not arrive."""

    def __init__(self, service: str, writer: Writer) -> None:
        self.service = service
        self.announced: dict[str, type[Event]] = {
            kind.type_name: kind for kind in Event.__subclasses__() if kind.source == service
        }
        self._writer = writer
        self._sent: set[str] = set()
        self._running: set[asyncio.Task[None]] = set()

    def publish(self, committed: Committed) -> None:
        """Publish what a transaction brought about; returns at once."""
        if committed.wakeups:
            self.wake(committed.wakeups)
        if committed.happenings:
            task = asyncio.create_task(self._announce(committed.happenings))
            self._running.add(task)
            task.add_done_callback(self._running.discard)

    def wake(self, wakeups: list[WakeUp]) -> None:
        """Tell the gateways that recipients have new entries."""
        shards: dict[str, list[list[object]]] = defaultdict(list)
        for recipient, number in wakeups:
            shards[streams.updates(recipient)].append([recipient, self.service, number])
        for stream, told in shards.items():
            for start in range(0, len(told), WAKEUPS_AT_ONCE):
                body = orjson.dumps(told[start : start + WAKEUPS_AT_ONCE])
                self._writer.tell("XADD", stream, "MAXLEN", "~", streams.UPDATES_KEPT, "*", FIELD, body)

    async def _announce(self, happenings: list[Happening]) -> None:
        stream = streams.events(self.service)
        for item in happenings:
            entry = (FIELD, await item.encode())
            try:
                await self._writer.execute("XADD", stream, "MAXLEN", "~", streams.EVENTS_KEPT, "*", *entry)
            except Exception as error:
                log.warning("event not published yet", event=item.event.type_name, error=type(error).__name__)
                return
            self._sent.add(item.event_id)

    async def sweep(self, executor: Executor) -> None:
        """Publish what is older than two seconds and not sent, and wake recent recipients once more.

        Waking again costs little: a wait that knows the number goes on sleeping.
        """
        before = executor.clock() - timedelta(seconds=executor.policy.outbox_sweep_seconds)
        since = before - timedelta(seconds=2 * executor.policy.outbox_sweep_seconds)
        async with executor.database.read() as session:
            unsent = await unsent_events(session, self.announced, before)
            wakeups = await recent_wakeups(session, since, before)
        self.wake(wakeups)
        await self._announce([item for item in unsent if item.event_id not in self._sent])
        await self.note_sent(executor)

    async def note_sent(self, executor: Executor) -> None:
        """Mark what was published; unmarked, it would be published again, which is harmless."""
        sent = list(self._sent)
        if sent:
            async with executor.database.write() as session:
                await mark_sent(session, sent, executor.clock())
            self._sent.difference_update(sent)

    async def publish_again(self, executor: Executor) -> None:
        """Publish the last hour once more: Redis lost its data (R43)."""
        since = executor.clock() - timedelta(seconds=executor.policy.republish_seconds)
        async with executor.database.read() as session:
            happenings = await recent_events(session, self.announced, since)
            wakeups = await recent_wakeups(session, since, executor.clock())
        self.wake(wakeups)
        await self._announce(happenings)

    async def drain(self) -> None:
        """Wait until what was being published has left."""
        if self._running:
            await asyncio.gather(*self._running, return_exceptions=True)
        await self._writer.drain()
