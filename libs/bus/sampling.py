"""What is measured by looking every few seconds: what waits on streams, in the outbox, as dead letters."""

from __future__ import annotations

from collections.abc import Iterable

from redis.asyncio import Redis
from sqlalchemy import func, select

from libs.bus.consuming import EventLane
from libs.bus.execution import Executor
from libs.bus.lane import CommandLane
from libs.bus.metrics import DEAD, PENDING, UNREAD, UNSENT, WAITING
from libs.bus.tables import DEAD_LETTERS, OUTBOX

OLDEST_UNSENT = select(func.min(OUTBOX.c.created_at)).where(OUTBOX.c.sent_at.is_(None))
DEAD_NOW = select(func.count()).select_from(DEAD_LETTERS)


async def sample_commands(client: Redis, lanes: Iterable[CommandLane]) -> None:
    """How many commands wait for a service: what is answered is deleted from its stream."""
    for lane in lanes:
        WAITING.labels(lane.service).set(await client.xlen(lane.stream))


async def sample_events(client: Redis, lanes: Iterable[EventLane]) -> None:
    """How far a service is behind the events that it follows."""
    for lane in lanes:
        for group in await client.xinfo_groups(lane.stream):
            if group["name"] == lane.service.encode():
                PENDING.labels(lane.service, lane.source).set(group["pending"])
                UNREAD.labels(lane.service, lane.source).set(group["lag"] or 0)


async def sample_database(service: str, executor: Executor) -> None:
    """How long the oldest event waits to be published, and what waits for the operator."""
    async with executor.database.read() as session:
        oldest = (await session.execute(OLDEST_UNSENT)).scalar()
        dead = (await session.execute(DEAD_NOW)).scalar_one()
    UNSENT.labels(service).set((executor.clock() - oldest).total_seconds() if oldest is not None else 0)
    DEAD.labels(service).set(dead)
