"""A service on the bus: its lanes, its timers, and what it does when Redis lost its data."""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import structlog
from faststream.redis import RedisBroker
from redis.exceptions import RedisError

from libs.bus.connection import Writer, connect, connection_settings, end, identity
from libs.bus.consuming import EventLane
from libs.bus.execution import Clock, Executor
from libs.bus.handlers import CONSUMERS, TIMERS, Timer
from libs.bus.lane import CommandLane
from libs.bus.patience import Patience
from libs.bus.publishing import Publisher
from libs.bus.readiness import Readiness
from libs.bus.reading import forget_consumers
from libs.bus.retention import clean
from libs.bus.sampling import sample_commands, sample_database, sample_events
from libs.contracts.policy import Policy
from libs.storage import Database

log = structlog.get_logger()

WATCH_SECONDS = 1.0
POSITIONS_SECONDS = 1.0
CLEANING_SECONDS = 120.0
SAMPLE_SECONDS = 5.0
FINISH_SECONDS = 8.0
LEAVE_SECONDS = 5.0


def _broker(redis_url: str, patience: Patience) -> RedisBroker:
    """Its reads never give up on a Redis that is away: FastStream would pause for five seconds each time."""
    quiet: Any = None
    settings = connection_settings() | {"retry": patience}
    return RedisBroker(redis_url, logger=quiet, graceful_timeout=FINISH_SECONDS, apply_types=False, **settings)


class ServiceBus:
    """Everything that runs beside a service's handlers, in one process."""

    def __init__(
        self,
        service: str,
        redis_url: str,
        database: Database,
        policy: Policy,
        clock: Clock,
        *,
        takes_commands: bool = True,
    ) -> None:
        """`takes_commands` is false where a service is asked in its own process (the gateway's directory)."""
        self.service = service
        self.client = connect(redis_url)
        self._writer = Writer(self.client)
        self._publisher = Publisher(service, self._writer)
        self.executor = Executor(database, policy, clock, self._publisher.publish)
        self._patience = Patience()
        self._broker = _broker(redis_url, self._patience)
        self._readiness = Readiness(redis_url, database)
        consumer = f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(3)}"
        parts = (self._broker, self._writer, self.executor, consumer)
        self._commands = [CommandLane(service, *parts)] if takes_commands else []
        sources = sorted({event.source for event in CONSUMERS[service]})
        self._events = [EventLane(service, source, *parts) for source in sources]
        self._known_identity: tuple[str, str] | None = None
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def _lanes(self) -> list[CommandLane | EventLane]:
        return [*self._commands, *self._events]

    async def start(self) -> None:
        """Begin to take commands and events; waits for Redis."""
        await self._begin()
        policy = self.executor.policy
        self._run(WATCH_SECONDS, self._watch)
        self._run(policy.outbox_sweep_seconds / 2, lambda: self._publisher.sweep(self.executor))
        self._run(POSITIONS_SECONDS, self.write_positions)
        self._run(policy.event_retry_seconds / 2, self._take_up_abandoned)
        self._run(CLEANING_SECONDS, self.clean)
        self._run(SAMPLE_SECONDS, self.sample)
        for seconds, timer in TIMERS[self.service]:
            self._run(seconds, lambda timer=timer: self._on_time(timer))  # type: ignore[misc]

    async def _begin(self) -> None:
        while True:
            try:
                await self._meet(self._broker.start)
                return
            except (RedisError, OSError) as error:
                log.warning("waiting for Redis", error=type(error).__name__)
                await self._broker.stop()
                await asyncio.sleep(WATCH_SECONDS)

    async def _meet(self, read: Callable[[], Awaitable[None]]) -> None:
        """Prepare a Redis whose data we do not know, let the lanes read it, and publish again what it may lack."""
        seen = await identity(self.client)
        for lane in self._lanes:
            await lane.prepare(self.client)
        await read()
        await self._publisher.publish_again(self.executor)
        self._known_identity = seen

    async def stop(self) -> None:
        """Finish what was begun, then leave."""
        await end(self._tasks)
        await self._broker.stop()
        await self._finish()
        await self.write_positions()
        with suppress(TimeoutError):
            async with asyncio.timeout(LEAVE_SECONDS):
                await self._publisher.drain()
        await self._publisher.note_sent(self.executor)
        await self._readiness.close()
        await self.client.aclose()

    async def _finish(self) -> None:
        try:
            async with asyncio.timeout(FINISH_SECONDS):
                for commands in self._commands:
                    await commands.finish(self.client)
        except (RedisError, OSError) as error:
            log.warning("left before everything was answered", service=self.service, error=type(error).__name__)

    @property
    def healthy(self) -> bool:
        """Whether every lane is being read: FastStream's own check stays green when a subscriber is dead."""
        reading = not self._patience.refused and all(lane.subscriber.running for lane in self._lanes)
        return bool(self._tasks) and reading

    async def obstacles(self) -> list[str]:
        """Why commands and events are not taken now; nothing when they are."""
        reading = [] if self.healthy else ["commands or events are not read"]
        return reading + await self._readiness.obstacles()

    def _run(self, seconds: float, job: Callable[[], Awaitable[Any]]) -> None:
        async def repeat() -> None:
            while True:
                await asyncio.sleep(seconds)
                try:
                    await job()
                except Exception as error:
                    log.warning("periodic work failed", service=self.service, error=repr(error)[:200])

        self._tasks.append(asyncio.create_task(repeat()))

    async def _watch(self) -> None:
        """Notice a Redis with other data (R43) and lanes that FastStream gave up."""
        dead = [lane for lane in self._lanes if not lane.subscriber.running]
        if dead or await identity(self.client) != self._known_identity:
            log.warning("Redis has other data", service=self.service, dead_lanes=len(dead))
            await self._meet(lambda: self._revive(dead))

    @staticmethod
    async def _revive(lanes: list[CommandLane | EventLane]) -> None:
        for lane in lanes:
            await lane.subscriber.start()

    async def _take_up_abandoned(self) -> None:
        for commands in self._commands:
            await commands.drop_abandoned(self.client)
        for lane in self._events:
            await lane.retry(self.client)

    async def _on_time(self, timer: Timer) -> None:
        async with self.executor.begin(timer.__name__) as work:
            await timer(work)

    async def run_timers(self) -> None:
        """Run the service's timers now."""
        for _, timer in TIMERS[self.service]:
            await self._on_time(timer)

    async def write_positions(self) -> None:
        """Write the remembered positions that are only in memory (R21)."""
        positions = self.executor.positions
        if positions.unwritten:
            numbers = positions.snapshot()
            async with self.executor.database.write() as session:
                await positions.write(session)
            positions.written(numbers)

    async def sample(self) -> None:
        """Measure what only shows when one looks."""
        await sample_commands(self.client, self._commands)
        await sample_events(self.client, self._events)
        await sample_database(self.service, self.executor)

    async def clean(self) -> None:
        """Drop old answers, events and mailbox entries, and what Redis remembers of processes that are gone."""
        await clean(self.executor)
        for lane in self._lanes:
            await forget_consumers(self.client, lane.stream, self.service)
