"""Maya's codex hands tasks to jonas's claude over the real bus, under addresses that no other test uses."""

from __future__ import annotations

from itertools import count
from typing import Any

from sqlalchemy import select

from libs.bus.tables import OUTBOX
from libs.contracts.caller import Caller
from libs.contracts.mailbox import Entry
from libs.contracts.tasks import (
    AcceptTask,
    Attempt,
    InboxPage,
    MadeCheckpoint,
    MakeCheckpoint,
    ReadInbox,
    ReturnedResult,
    ReturnResult,
    Task,
    WholeTask,
)
from tests.harness import Hub
from tests.tasks.given import a_handoff, facts, proof

NUMBERS = count(1)


class Desk:
    """The people and agents of one test, and what they do."""

    def __init__(self, hub: Hub) -> None:
        number = next(NUMBERS)
        self.hub = hub
        self.maya, self.jonas, self.rosa = f"maya-{number}", f"jonas-{number}", f"rosa-{number}"
        self.codex, self.claude, self.stranger = f"{self.maya}/codex", f"{self.jonas}/claude", f"tom-{number}/bot"

    async def hand_off(self, by: str | None = None, **said: Any) -> Task:
        """A task of codex (or of `by`) for claude in rosa's project."""
        attached = {name: said.pop(name, []) for name in ("messages", "memory")}
        known = facts(project_owner=self.rosa, **attached)
        command = a_handoff(**{"to": self.claude, "facts": known, **said})
        return (await self.hub.ask(command, by or self.codex)).task

    async def take(self, task: Task | None = None) -> Attempt:
        """Claude's hold on the task, or on a new one."""
        task = task or await self.hand_off()
        attempt = (await self.hub.ask(AcceptTask(task_id=task.task_id), self.claude)).attempt
        assert attempt is not None
        return attempt

    async def checkpoint(self, attempt: Attempt, by: Caller | str | None = None, **said: Any) -> MadeCheckpoint:
        """A checkpoint of claude (or of `by`)."""
        plain = {"task_id": attempt.task_id, "attempt_id": attempt.attempt_id, "summary": "Half of it works."}
        return await self.hub.ask(MakeCheckpoint(**{**plain, **said}), by or self.claude)

    async def finish(self, attempt: Attempt, by: str | None = None, **said: Any) -> ReturnedResult:
        """Claude's result (or that of `by`) with a proof of the one criterion."""
        plain = {"task_id": attempt.task_id, "attempt_id": attempt.attempt_id, "outcome": "done"}
        words = {"summary": "It works.", "evidence": [proof()]}
        return await self.hub.ask(ReturnResult(**{**plain, **words, **said}), by or self.claude)

    async def returned(self) -> ReturnedResult:
        """A new task whose result awaits a review."""
        return await self.finish(await self.take())

    async def let_lapse(self) -> None:
        """Let every attempt that nobody renews lapse."""
        self.hub.clock.advance(601)
        await self.hub.tick("tasks")

    async def whole(self, task_id: str, by: str | None = None) -> WholeTask:
        """The task shown whole to codex (or to `by`)."""
        return (await self.inbox(by, task_id=task_id)).tasks[0]

    async def inbox(self, by: str | None = None, **asked: Any) -> InboxPage:
        """The inbox of codex (or of `by`)."""
        return await self.hub.ask(ReadInbox(**asked), by or self.codex)

    async def entries(self, recipient: str) -> list[Entry]:
        """Everything in a recipient's mailbox."""
        return await self.hub.entries(recipient, service="tasks")

    async def kinds(self, recipient: str) -> list[str]:
        """The kinds of the entries in a recipient's mailbox, oldest first."""
        return [entry.kind for entry in await self.entries(recipient)]

    async def announced(self, task_id: str) -> list[tuple[str, dict[str, Any]]]:
        """The events about a task, oldest first."""
        async with self.hub.services["tasks"].database.read() as session:
            rows = (await session.execute(select(OUTBOX).order_by(OUTBOX.c.event_id))).all()
        return [(row.event, row.body) for row in rows if row.body["task_id"] == task_id]
