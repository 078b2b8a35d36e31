"""Mailboxes in a real database, with the transactions and the clock of a service."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from libs.bus.execution import Committed, Executor
from libs.bus.mailbox import WakeUp, read_mailbox
from libs.bus.tables import BUS_TABLES
from libs.contracts.mailbox import MailboxPage, ReadMailbox
from libs.contracts.policy import Policy
from libs.storage import Database
from tests.harness import Clock
from tests.tables import make_tables


class ReadPostOffice(ReadMailbox, service="post_office"):
    pass


@dataclass
class PostOffice:
    """What delivers to mailboxes and reads them."""

    executor: Executor
    clock: Clock
    wakeups: list[WakeUp] = field(default_factory=list)

    async def deliver(self, *recipients: str, kind: str = "letter", project: str | None = None, **body: Any) -> None:
        """One transaction with an entry for each recipient named."""
        async with self.executor.begin() as work:
            for recipient in recipients:
                work.deliver(recipient, kind, project, body)

    async def read(self, recipient: str = "ann/codex", tool: str = "wait", **query: Any) -> MailboxPage:
        """A page of a mailbox."""
        async with self.executor.begin() as work:
            return await read_mailbox(ReadPostOffice(recipient=recipient, tool=tool, **query), work)

    async def numbers(self, recipient: str = "ann/codex", **query: Any) -> list[int]:
        """The numbers on a page of a mailbox."""
        return [entry.number for entry in (await self.read(recipient, **query)).entries]


@asynccontextmanager
async def opened_post_office(url: str, pool_size: int = 20) -> AsyncIterator[PostOffice]:
    """A post office on a database that is closed afterwards."""
    database, clock = Database(url, schema="post_office", pool_size=pool_size), Clock()
    await database.open()
    await make_tables(database, [BUS_TABLES])
    office = PostOffice(Executor(database, Policy(), clock, lambda committed: _note(office, committed)), clock)
    try:
        yield office
    finally:
        await database.close()


def _note(office: PostOffice, committed: Committed) -> None:
    office.wakeups += committed.wakeups
