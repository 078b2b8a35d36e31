"""How an order is carried out: one command, one transaction, opened and committed here and nowhere else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from time import perf_counter
from typing import Any

import structlog
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolExhausted

from libs.bus.envelope import Happening, Order, Reply
from libs.bus.handlers import BATCH_HANDLERS, HANDLERS, Asked
from libs.bus.mailbox import WakeUp, number_and_store
from libs.bus.metrics import note_handled
from libs.bus.once import find_answers, repeat, store_answers
from libs.bus.outbox import store_events
from libs.bus.positions import Positions
from libs.bus.work import Work
from libs.contracts.base import View
from libs.contracts.errors import Problem, Unavailable
from libs.contracts.policy import Policy
from libs.storage import Database, is_outage

log = structlog.get_logger()

Clock = Callable[[], datetime]
Answered = Callable[[Sequence[Order], Sequence[Reply]], Awaitable[None]]
"""Called with orders that were carried out and a reply to each."""
CONFLICT_PAUSES = (0.0, 0.02, 0.1)
OUTAGE_PAUSES = (0.1, 0.4, 1.0, 2.0)
CRASHED = Unavailable(
    "The outcome is open: repeat the call with the same idempotency_key in a few seconds.", retry_after_seconds=3
)


@dataclass(slots=True)
class Committed:
    """What the others must learn of a transaction that is committed."""

    wakeups: list[WakeUp] = field(default_factory=list)
    happenings: list[Happening] = field(default_factory=list)


class Executor:
    """Carries out the orders of one service on its database."""

    def __init__(self, database: Database, policy: Policy, clock: Clock, publish: Callable[[Committed], None]) -> None:
        self.database = database
        self.policy = policy
        self.clock = clock
        self.positions = Positions()
        self._publish = publish

    @asynccontextmanager
    async def begin(self, command_id: str = "") -> AsyncIterator[Work]:
        """A transaction; what it announced and delivered is published once it is committed."""
        committed = Committed()
        async with self.database.write() as session:
            work = Work(session, self.clock(), self.policy, self.positions, command_id)
            yield work
            if work.events:
                committed.happenings = await store_events(session, work.events, work.now)
            if work.deliveries:
                committed.wakeups = await number_and_store(session, work.deliveries, work.now)
        if committed.wakeups or committed.happenings:
            self._publish(committed)

    async def answer(self, order: Order) -> Reply:
        """Carry out one order; whatever happens, there is a reply (R41)."""
        started = perf_counter()
        with structlog.contextvars.bound_contextvars(command=order.command_id, caller=order.caller.subject):
            try:
                reply = await self._tried_again(order)
            except Problem as problem:
                reply = Reply.of(problem)
            except Exception:
                log.exception("handler crashed", type=order.command.type_name)
                reply = Reply(problem=CRASHED.data)
        note_handled([order], [reply], started)
        return reply

    async def _tried_again(self, order: Order) -> Reply:
        """Two transactions that met on a key or a lock: the loser looks again. A database that restarts: wait a bit."""
        tries = 0
        while True:
            try:
                return await (self._write(order) if order.command.writes else self._read(order))
            except (DBAPIError, OSError, PoolExhausted) as error:
                pauses = OUTAGE_PAUSES if is_outage(error) else CONFLICT_PAUSES
                if tries >= len(pauses):
                    raise
                log.warning("transaction tried again", type=order.command.type_name, error=type(error).__name__)
                await asyncio.sleep(pauses[tries])
                tries += 1

    async def _read(self, order: Order) -> Reply:
        async with self.database.read() as session:
            work = Work(session, self.clock(), self.policy, self.positions, order.command_id)
            return Reply.of(await self._handle(order, work))

    async def _write(self, order: Order) -> Reply:
        try:
            return await self._written(order)
        except Problem as problem:
            return await self._unless_answered(order, Reply.of(problem))

    async def _written(self, order: Order) -> Reply:
        async with self.begin(order.command_id) as work:
            stored = await find_answers(work.session, [order.once_key], work.now)
            if order.once_key in stored:
                return Reply(answer=repeat(stored[order.once_key], order))
            if order.refusal is not None:
                raise Problem.of(order.refusal)
            reply = Reply.of(await self._handle(order, work))
            if order.command.kept:
                await store_answers(work.session, [(order, reply.answer)], work.now, self.policy)
        return reply

    async def _unless_answered(self, order: Order, reply: Reply) -> Reply:
        """The reply, but no refusal that the order met because a twin of it ran beside it on PostgreSQL (R40)."""
        if not (self.database.concurrent and reply.problem):
            return reply
        async with self.database.read() as session:
            stored = await find_answers(session, [order.once_key], self.clock())
        return _repeated(stored[order.once_key], order) if order.once_key in stored else reply

    async def _handle(self, order: Order, work: Work) -> View:
        handler = HANDLERS.get(type(order.command))
        if handler is not None:
            return await handler(order.command, order.caller, work)
        said = await BATCH_HANDLERS[type(order.command)]([Asked(order.command, order.caller)], work)
        if isinstance(said[0], Problem):
            raise said[0]
        return said[0]

    async def answer_batch(self, orders: Sequence[Order]) -> list[Reply]:
        """Carry out orders of one type in one transaction; redo them each in its own if it fails."""
        unique = {order.once_key: order for order in reversed(orders)}
        started = perf_counter()
        try:
            if len(unique) == len(orders):
                replies = await self._write_batch(orders)
                note_handled(orders, replies, started)
                return replies
        except Exception:
            log.warning("batch redone one by one", size=len(orders), exc_info=True)
        return await asyncio.gather(*map(self.answer, orders))

    async def _write_batch(self, orders: Sequence[Order]) -> list[Reply]:
        async with self.begin() as work:
            stored = await find_answers(work.session, [order.once_key for order in orders], work.now)
            replies = {key: _repeated(stored[key], order) for order in orders if (key := order.once_key) in stored}
            fresh = [order for order in orders if order.once_key not in stored]
            replies |= {order.once_key: Reply(problem=order.refusal) for order in fresh if order.refusal}
            replies |= await self._handle_batch([order for order in fresh if not order.refusal], work)
        return [await self._unless_answered(order, replies[order.once_key]) for order in orders]

    async def _handle_batch(self, orders: list[Order], work: Work) -> dict[str, Reply]:
        if not orders:
            return {}
        handler = BATCH_HANDLERS[type(orders[0].command)]
        said = await handler([Asked(order.command, order.caller) for order in orders], work)
        replies = {order.once_key: Reply.of(view) for order, view in zip(orders, said, strict=True)}
        kept = [order for order in orders if order.command.kept and not replies[order.once_key].problem]
        if answered := [(order, replies[order.once_key].answer) for order in kept]:
            await store_answers(work.session, answered, work.now, self.policy)
        return replies

    async def answer_all(self, orders: Sequence[Order], reply: Answered) -> None:
        """Carry out what one read brought; replies leave as soon as they are there, with their wake-ups."""
        batches: dict[object, list[Order]] = {}
        for order in orders:
            kind = type(order.command)
            batches.setdefault(kind if kind in BATCH_HANDLERS else id(order), []).append(order)

        async def carry_out(batch: list[Order]) -> None:
            alone = len(batch) == 1
            await reply(batch, [await self.answer(batch[0])] if alone else await self.answer_batch(batch))

        await asyncio.gather(*map(carry_out, batches.values()))


def _repeated(stored: Any, order: Order) -> Reply:
    try:
        return Reply(answer=repeat(stored, order))
    except Problem as problem:
        return Reply.of(problem)
