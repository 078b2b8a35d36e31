"""The hub's side of a runner, scripted: what it offers, and what it is told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from prickle import Hub
from prickle.runner.board import Board
from prickle.runner.configuration import Configuration
from prickle.runner.journal import Journal
from prickle.runner.machine import Machine
from prickle.runner.pairing import Pairing
from prickle.runner.places import Places
from prickle.runner.runner import Runner
from rich.console import Console

from tests.client.scripted import ScriptedHub
from tests.serving import serving

DEVICE_TOKEN = "prk_client_token"
"""What the scripted hub takes for a device's key."""
RUN_TOKEN = "prk_run_only-this-run-has-it"
Refusal = dict[str, Any]


class Desk:
    """Tasks and messages for agents of a device; claims and reports are noted."""

    def __init__(self) -> None:
        self.updates: list[dict[str, Any]] = []
        self.cursors: list[str | None] = []
        self.claims: list[dict[str, Any]] = []
        self.reports: list[dict[str, Any]] = []
        self.pulses: list[dict[str, Any]] = []
        self.refusals: dict[str, list[Refusal]] = {}
        self.app = ScriptedHub(
            wait_for_updates=self._wait,
            claim_task=self._noting("claim_task", self.claims, self._claimed_task),
            claim_discussion=self._noting("claim_discussion", self.claims, self._claimed_discussion),
            report_run=self._noting("report_run", self.reports, lambda report: {"run": report}),
            update_pulse=self._noting("update_pulse", self.pulses, lambda pulse: {"pulse": {}, "overlaps": []}),
        )

    def request(self, task_id: str, *, requester: str = "maya", branch: str | None = None) -> None:
        """Hand a task to maya/codex."""
        task = {"task_id": task_id, "project": "website-v2", "title": "Fix it", "assignee": "maya/codex"}
        self._tell("task_requested", task=task | {"requester": requester, "branch": branch})

    def cancel(self, task_id: str) -> None:
        """Cancel a task."""
        self._tell("cancel_requested", task={"task_id": task_id, "project": "website-v2"})

    def mention(self, message_id: str, *, author: str = "maya") -> None:
        """Mention maya/codex in a message of a person."""
        message = {"id": message_id, "project": "website-v2", "author": {"kind": "person", "handle": author}}
        self._tell("discussion", message=message, agent_id="maya/codex")

    def refuse(self, tool: str, code: str, **more: Any) -> None:
        """Refuse the next call of a tool."""
        self.refusals.setdefault(tool, []).append({"error": {"code": code, "message": "Do something else.", **more}})

    def _tell(self, kind: str, **what: Any) -> None:
        self.updates.append({"kind": kind, "project": "website-v2", "at": now().isoformat(), **what})

    def _wait(self, arguments: dict[str, Any]) -> dict[str, Any]:
        if refused := self._refused("wait_for_updates"):
            return refused
        cursor = arguments.get("cursor")
        self.cursors.append(cursor)
        fresh = self.updates[int(cursor or 0) :]
        return {"updates": fresh, "next_cursor": str(len(self.updates)), "retry_after_seconds": 0.05}

    def _noting(
        self, tool: str, notes: list[dict[str, Any]], answer: Callable[[dict[str, Any]], dict[str, Any]]
    ) -> Callable[[dict[str, Any]], dict[str, Any]]:
        def called(arguments: dict[str, Any]) -> dict[str, Any]:
            notes.append(arguments)
            return self._refused(tool) or answer(arguments)

        return called

    def _refused(self, tool: str) -> Refusal | None:
        return self.refusals[tool].pop(0) if self.refusals.get(tool) else None

    def _claimed_task(self, arguments: dict[str, Any]) -> dict[str, Any]:
        attempt = {"attempt_id": "att_1", "task_id": arguments["task_id"], "claimed_at": now().isoformat()}
        return {"attempt": attempt, "execution_credential": _credential("check_inbox")}

    def _claimed_discussion(self, arguments: dict[str, Any]) -> dict[str, Any]:
        about = {"discussion_id": "dis_1", "message_id": arguments["message_id"], "claimed_at": now().isoformat()}
        return {"discussion": about, "execution_credential": _credential("post_message")}


class Lab:
    """A desk, a place for a runner, and runners on it."""

    def __init__(self, desk: Desk, url: str, folder: Path) -> None:
        self.desk, self.url, self.folder = desk, url, folder
        self.places = Places(folder / "config", folder / "state")
        self.said: list[str] = []

    async def run_once(self, **settings: Any) -> None:
        """A runner that runs what is there, and ends."""
        async with self.runner(once=True, **settings) as runner:
            await runner.run()

    @asynccontextmanager
    async def running(self, **settings: Any) -> AsyncIterator[Runner]:
        """A runner that goes on until the block ends."""
        async with self.runner(once=False, **settings) as runner:
            working = asyncio.create_task(runner.run())
            try:
                yield runner
            finally:
                runner.stop()
                await working

    @asynccontextmanager
    async def runner(self, *, once: bool, **settings: Any) -> AsyncIterator[Runner]:
        journal = Journal(self.places.journal)
        bounds = {name: settings.pop(name) for name in ("kept_runs", "kept_gigabytes") if name in settings}
        configuration = Configuration.model_validate({"agents": {"maya/codex": settings}, **bounds})
        board = Board(Console(file=_Lines(self.said), width=500))
        try:
            async with Hub.at(self.url, DEVICE_TOKEN) as hub:
                pairing = Pairing(self.url, DEVICE_TOKEN)
                yield Runner(Machine(hub, pairing, self.places, configuration, journal, board), once=once)
        finally:
            journal.close()


class _Lines:
    """A text file that is a list."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines

    def write(self, text: str) -> int:
        self._lines.append(text)
        return len(text)

    def flush(self) -> None:
        """Nothing is held back."""


@asynccontextmanager
async def laboratory(folder: Path) -> AsyncIterator[Lab]:
    """A desk behind a real port."""
    desk = Desk()
    async with serving(desk.app) as url:
        yield Lab(desk, url, folder)


def now() -> datetime:
    """The hub's time."""
    return datetime.now(UTC)


def _credential(*tools: str) -> dict[str, Any]:
    expires_at = (now() + timedelta(hours=1)).isoformat()
    return {"token": RUN_TOKEN, "expires_at": expires_at, "allowed_tools": list(tools)}
