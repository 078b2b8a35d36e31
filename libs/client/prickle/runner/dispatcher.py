"""Which offers run: as many as there is room for, and only what the owner of this device allows."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from datetime import datetime
from typing import Any

from prickle.runner.attic import tidy
from prickle.runner.configuration import AgentSettings
from prickle.runner.execution import Execution, Postponed
from prickle.runner.journal import Offer, Run
from prickle.runner.machine import Machine
from prickle.runner.reports import tell_failure

POSTPONED_SECONDS = 15.0
REPORT_SECONDS = 15.0

Key = tuple[str, str]
"""An agent and what it is to work on."""


class Dispatcher:
    """The runs of one runner. `fail` is told what ends the runner: a refusal of the device, or its own mistake."""

    def __init__(self, machine: Machine, fail: Callable[[BaseException], None]) -> None:
        self._machine, self._fail = machine, fail
        self._active: dict[str, Execution] = {}
        self._failed: set[Key] = set()
        """What failed a moment ago."""
        self._no_room: set[Key] = set()
        """What the hub had no slot for, until another run has ended."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    @property
    def busy(self) -> bool:
        """Whether anything still goes on."""
        return bool(self._tasks)

    def recover(self) -> None:
        """Take up the runs that a former runner left."""
        for run in self._machine.journal.unfinished():
            settings = self._machine.configuration.agents.get(run.agent_id)
            if settings is not None:
                self._begin(run, settings)
            else:
                self._machine.board.say("left alone: its agent is no longer configured.", run)
                self._machine.journal.write(run, state="done")
        self._spawn(tidy(self._machine, self._active))

    def dispatch(self) -> None:
        """Begin the offers that there is room for, oldest first."""
        for offer in [] if self._closed else self._machine.journal.offers():
            settings = self._machine.configuration.agents.get(offer.agent_id)
            if settings is None or not self._is_allowed(offer, settings):
                self._machine.journal.withdraw(offer)
            elif self._has_room(offer, settings):
                self._begin(self._machine.journal.begin(offer), settings)

    def cancel(self, task_id: str) -> None:
        """End a task's run, and forget what is offered of it."""
        for execution in self._of(task_id):
            execution.order.give("cancelled")
        for offer in self._machine.journal.offers():
            if offer.subject == task_id:
                self._machine.journal.withdraw(offer)

    def supersede(self, offer: Offer) -> None:
        """A task that is requested anew is no longer its former run's: end that."""
        for execution in self._of(offer.subject):
            claimed_at = execution.run.claimed_at
            if claimed_at is not None and datetime.fromisoformat(offer.at) > datetime.fromisoformat(claimed_at):
                execution.order.give("superseded")

    async def wait(self) -> None:
        """Until something has ended."""
        await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)

    async def close(self) -> None:
        """Ask the runs to end, give them their grace and their reports some time; the journal keeps the rest."""
        self._closed = True
        grace = max((execution.grace for execution in self._active.values()), default=0.0)
        for execution in self._active.values():
            execution.order.give("stopped")
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=grace + REPORT_SECONDS)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _is_allowed(self, offer: Offer, settings: AgentSettings) -> bool:
        if offer.kind == "discussion" and not settings.discussions:
            return False
        if not offer.cross_owner or settings.takes_from_others(offer.project):
            return True
        self._machine.board.say(f"{offer.agent_id} takes no {offer.kind} of {offer.requester} here.")
        if offer.kind == "task":
            self._spawn(tell_failure(self._machine, offer, "cross_owner_off", f"cross-owner-{offer.subject}"))
        return False

    def _has_room(self, offer: Offer, settings: AgentSettings) -> bool:
        if (offer.agent_id, offer.subject) in self._failed | self._no_room or self._of(offer.subject):
            return False
        runs = [execution.run for execution in self._active.values()]
        return sum((run.agent_id, run.kind) == (offer.agent_id, offer.kind) for run in runs) < settings.slots

    def _of(self, subject: str) -> list[Execution]:
        return [execution for execution in self._active.values() if execution.run.subject == subject]

    def _begin(self, run: Run, settings: AgentSettings) -> None:
        execution = Execution(self._machine, run, settings)
        self._active[run.run_id] = execution
        self._spawn(self._live(execution))

    async def _live(self, execution: Execution) -> None:
        run = execution.run
        try:
            await execution.live()
            self._no_room.clear()
            self._postpone(self._failed, run, execution.retry)
        except Postponed as postponed:
            self._postpone(self._no_room, run, postponed.seconds or POSTPONED_SECONDS)
        finally:
            del self._active[run.run_id]
        await tidy(self._machine, self._active)
        self.dispatch()

    def _postpone(self, why: set[Key], run: Run, seconds: float) -> None:
        if seconds:
            why.add((run.agent_id, run.subject))
            asyncio.get_running_loop().call_later(seconds, self._resume, why, (run.agent_id, run.subject))

    def _resume(self, why: set[Key], key: Key) -> None:
        why.discard(key)
        self.dispatch()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._fail(error)
