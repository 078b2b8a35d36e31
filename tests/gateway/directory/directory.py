"""A directory over real SQLite, carried out by the bus's own executor, with a clock that tests move."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from sqlalchemy import text

from libs.bus import Work
from libs.bus.envelope import Order
from libs.bus.execution import Committed, Executor
from libs.contracts.base import Command, Event, View
from libs.contracts.caller import OPERATOR, Caller
from libs.contracts.errors import Problem
from libs.contracts.policy import Policy
from libs.storage import Database, new_id
from services.gateway.directory import handlers as _registered  # noqa: F401
from tests.databases import one_waits_for_a_lock

A = TypeVar("A", bound=View)


class Directory:
    """Asks the directory, each call in a transaction of its own."""

    def __init__(self, database: Database) -> None:
        self.now = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
        self.announced: list[Event] = []
        self._database = database
        self._executor = Executor(database, Policy(), lambda: self.now, self._publish)

    def _publish(self, committed: Committed) -> None:
        self.announced += [happening.event for happening in committed.happenings]

    async def ask(self, command: Command[A], caller: Caller = OPERATOR) -> A:
        """The answer, committed; a refusal is raised."""
        reply = await self._executor.answer(Order(new_id("cmd"), command, caller))
        if reply.problem is not None:
            raise Problem.of(reply.problem)
        answer: Any = type(command).answer_type.model_validate_json(reply.answer)
        return answer

    def begin(self) -> AbstractAsyncContextManager[Work]:
        """A transaction that the test ends."""
        return self._executor.begin()

    async def one_waits_for_a_lock(self) -> bool:
        """Whether a transaction on this PostgreSQL database waits for another."""
        return await one_waits_for_a_lock(self._database)

    def advance(self, **span: float) -> None:
        """Move the clock."""
        self.now += timedelta(**span)

    async def everything_stored(self) -> str:
        """All rows of all tables of the file, as text."""
        async with self._database.read() as session:
            file = await session.connection()
            names = await file.scalars(text("SELECT name FROM sqlite_master WHERE type = 'table'"))
            rows = [(await file.execute(text(f'SELECT * FROM "{name}"'))).all() for name in names.all()]
        return str(rows)


def person(handle: str) -> Caller:
    """A person who calls with their own token."""
    return Caller(kind="person", subject=handle, credential_id="key_person")


def agent(agent_id: str) -> Caller:
    """An agent that calls with a client key."""
    return Caller(kind="client", subject=agent_id, credential_id="key_client")
