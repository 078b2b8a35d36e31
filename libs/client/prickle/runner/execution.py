"""The life of one run: claimed, launched, watched, read, reported; from wherever the journal says it is."""

from __future__ import annotations

import asyncio
import os
import time
from datetime import UTC, datetime

from prickle.errors import HubError
from prickle.runner.adapters.adapter import Output, Reading
from prickle.runner.attic import discard
from prickle.runner.claims import Credential, claim
from prickle.runner.configuration import AgentSettings
from prickle.runner.errors import NotPrepared
from prickle.runner.failures import Step
from prickle.runner.journal import Run
from prickle.runner.launch import launch
from prickle.runner.machine import Machine
from prickle.runner.outcome import duration, exit_code, failed_step
from prickle.runner.processes import Identity, Orphan, Program, Watched
from prickle.runner.reports import FINAL, report, tell_failure
from prickle.runner.supervision import Ending, Order, supervise
from prickle.runner.worktrees import is_changed, let_branch_go, prepare

REFUSED_WITH_A_STEP: dict[str, Step] = {"room_not_linked": "room_not_linked", "cross_owner_off": "cross_owner_off"}


class Postponed(Exception):
    """The hub has no room for this run now; it is an offer again."""

    def __init__(self, seconds: float | None) -> None:
        super().__init__()
        self.seconds = seconds


class Execution:
    """One run that is not done."""

    def __init__(self, machine: Machine, run: Run, settings: AgentSettings) -> None:
        self.run = run
        self.order = Order()
        self._machine, self._settings = machine, settings
        self._files, self._work = machine.files(run.run_id), machine.work(run.run_id)

    @property
    def retry(self) -> float:
        """How long its task is left before it is claimed again, in seconds; a failure seldom passes at once."""
        return self._settings.retry_seconds if self.run.step is not None else 0.0

    @property
    def grace(self) -> float:
        """How long its program may take to end when it is asked to, in seconds."""
        return self._settings.grace_seconds

    async def live(self) -> None:
        """Bring the run to its end. Raises `Postponed`, or `HubError` when the device is no longer let in."""
        try:
            if self.run.state in ("claiming", "claimed"):
                await self._begin()
            elif self.run.state == "launched":
                await self._adopt()
            if self.run.state == "exited":
                await self._settle()
        finally:
            self._machine.board.drop(self.run)

    async def _begin(self) -> None:
        self._show("claiming")
        try:
            credential = await claim(self._machine.hub, self.run)
        except HubError as error:
            await self._accept_refusal(error)
            return
        self._write(state="claimed", claimed_at=credential.claimed_at)
        await self._work_on(credential)

    async def _accept_refusal(self, error: HubError) -> None:
        if error.code in FINAL:
            raise error
        if error.code == "limit_exceeded":
            self._machine.journal.give_back(self.run)
            raise Postponed(error.retry_after_seconds)
        self._machine.board.say(f"not claimed: {error.message}", self.run)
        if error.code in REFUSED_WITH_A_STEP:
            await tell_failure(self._machine, self.run, REFUSED_WITH_A_STEP[error.code], self.run.run_id)
        self._write(state="done")

    async def _work_on(self, credential: Credential) -> None:
        """Launch and watch; what cannot be prepared ends the run, so that the hub can give the task to others."""
        if self.order.why is not None:
            self._write(state="exited", why=self.order.why)
            return
        try:
            program = await self._launch(credential)
        except NotPrepared as error:
            self._note_unprepared(error)
            return
        except OSError as error:
            self._note_unprepared(NotPrepared("cli_did_not_start", f"not prepared: {os.strerror(error.errno or 0)}."))
            return
        await self._watch(program, (credential.expires_at - datetime.now(UTC)).total_seconds())

    def _note_unprepared(self, error: NotPrepared) -> None:
        self._machine.board.say(str(error), self.run)
        self._write(state="exited", step=error.step)

    async def _launch(self, credential: Credential) -> Program:
        self._show("preparing")
        repository = None
        if self.run.kind == "task":
            repository = self._settings.repository(self.run.project, cross_owner=self.run.cross_owner)
        await prepare(self._work, repository, self.run.branch)
        url = self._machine.pairing.url
        program = await launch(self.run, self._settings, self._files, self._work, url=url, token=credential.token)
        pid, started = program.identity.pid, program.identity.started
        self._write(state="launched", pid=pid, process=started, launched=time.time())
        program.let_go()
        return program

    async def _adopt(self) -> None:
        """Watch on what a former runner launched; how long it ran is known only if it still runs."""
        orphan = Orphan(Identity(self.run.pid or 0, self.run.process or ""))
        await self._watch(orphan, float("inf"), timed=orphan.identity.alive)

    async def _watch(self, program: Watched, expires_in: float, *, timed: bool = True) -> None:
        self._show("running")
        began = self.run.launched or time.time()
        limit = min(self._time_limit + began - time.time(), expires_in)
        ending = await supervise(program, self.order, limit=limit, grace=self.grace)
        await self._read(ending, duration(time.time() - began) if timed else None)

    async def _read(self, ending: Ending, duration_ms: int | None) -> None:
        self._files.forget_token()
        reading = await asyncio.to_thread(self._reading, bool(ending.code))
        step = failed_step(self.run.kind, ending, reading)
        used = {name: getattr(reading.used, name) for name in ("input_tokens", "output_tokens", "turns")}
        numbers = used | {"duration_ms": duration_ms, "exit_code": exit_code(ending.code)}
        self._write(state="exited", why=ending.why, step=step, **numbers)

    def _reading(self, failed: bool) -> Reading:
        """What the client's output says; nothing where it makes no sense."""
        try:
            return self._settings.adapter.read(Output(self._files.stdout, self._files.stderr, failed))
        except Exception as error:
            self._machine.board.say(f"its output could not be read ({type(error).__name__})", self.run)
            return Reading()

    async def _settle(self) -> None:
        self._show("reporting")
        if self.run.step is not None:
            await tell_failure(self._machine, self.run, self.run.step, self.run.run_id)
        if self.run.kind == "task":
            await report(self._machine, self.run)
        self._write(state="done")
        self._machine.board.say(f"done: {self._summary()}.", self.run)
        await self._clear_up()

    async def _clear_up(self) -> None:
        """Keep only what somebody may want to look at."""
        self._files.forget_token()
        if self.run.exit_code == 0 and self.run.step is None and not await is_changed(self._work):
            await discard(self._machine, self.run.run_id)
        else:
            await let_branch_go(self._work)

    @property
    def _time_limit(self) -> float:
        task = self.run.kind == "task"
        return self._settings.time_limit_seconds if task else self._settings.reply_time_limit_seconds

    def _summary(self) -> str:
        how = self.run.step or self.run.why or "ended well"
        return f"{how}, exit code {self.run.exit_code}, {self.run.input_tokens} tokens in, {self.run.output_tokens} out"

    def _write(self, **changes: object) -> None:
        self.run = self._machine.journal.write(self.run, **changes)

    def _show(self, state: str) -> None:
        self._machine.board.show(self.run, state, self._files.stdout, self._files.stderr)
