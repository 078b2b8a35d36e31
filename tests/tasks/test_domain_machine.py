"""The life of a task, whatever is called in whatever order (R2, R3, R4, R5, R6, R7, R8, R9, R10, R13, R16, R39)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from libs.contracts.caller import Caller
from libs.contracts.errors import Conflict, CrossOwnerOff, Forbidden, LimitExceeded, StaleAttempt
from libs.contracts.tasks import Outcome
from libs.contracts.types import TakesTasksFrom
from services.tasks.domain import FINAL, UNTAKEN, Attempt, Decision, Result, Task, Verdict
from services.tasks.domain.claims import claim, repeat_claim
from tests.tasks.given import (
    CLAUDE,
    CODEX,
    JONAS,
    MAYA,
    NOW,
    POLICY,
    ROSA,
    a_checkpoint,
    a_claim,
    a_device,
    a_return,
    facts,
    opened,
)

CALLERS = st.sampled_from([CODEX, CLAUDE, MAYA, JONAS, ROSA])
DECIDERS = (CODEX, MAYA, ROSA)
OUTCOMES = st.sampled_from(["done", "partial", "blocked", "failed", "declined"])
TAKES = st.sampled_from(["owner", "team"])
HOUR = timedelta(hours=1)
LAUNCH_TIMEOUT = timedelta(seconds=POLICY.launch_timeout_seconds)
HEARTBEAT = timedelta(seconds=POLICY.attempt_deadline_seconds)


class TaskLife(RuleBasedStateMachine):
    """One task, everybody who sees it, a device that runs its agent, and time."""

    @initialize(takes=TAKES, is_due=st.booleans())
    def hand_off(self, takes: TakesTasksFrom, is_due: bool) -> None:
        self.now = NOW
        due = {"due_at": NOW + HOUR} if is_due else {}
        self.task: Task = opened(known=facts(takes_tasks_from=takes), **due)[0]
        self.attempts: list[Attempt] = []
        self.results: list[Result] = []
        self.begun = 0
        self.allowed = self.refused = False

    def _everything(self) -> list[dict[str, Any]]:
        return [thing.model_dump() for thing in (self.task, *self.attempts, *self.results)]

    @contextmanager
    def _refused_unless(self, allowed: bool, *refusals: type[Exception]) -> Iterator[None]:
        """A refusal is of the right kind and changes nothing; a change raises the version."""
        before, version = self._everything(), self.task.version
        try:
            yield
        except refusals:
            assert not allowed
            assert self._everything() == before
        else:
            assert allowed
            assert self.task.version == version + 1

    def _is_live(self, attempt: Attempt) -> bool:
        return self.task.attempt is attempt and (attempt.expires_at is None or self.now < attempt.expires_at)

    @rule(by=CALLERS, decision=st.sampled_from(["allowed", "refused"]))
    def decide(self, by: Caller, decision: Decision) -> None:
        if by is JONAS and self.task.decision == decision:
            before = self._everything()
            assert not self.task.decide(decision, by, "So.", self.now)
            assert self._everything() == before
            return
        decidable = self.task.state in (UNTAKEN if decision == "allowed" else {"awaiting_owner"})
        with self._refused_unless(by is JONAS and decidable, Conflict, Forbidden):
            self.task.decide(decision, by, "So.", self.now)
            self.allowed, self.refused = decision == "allowed", decision == "refused"

    @rule(by=CALLERS)
    def take(self, by: Caller) -> None:
        with self._refused_unless(by is CLAUDE and self.task.state == "requested", Conflict, Forbidden):
            self.attempts.append(self.task.take(by, None, self.now, POLICY))
            self.begun += 1

    @rule(takes=TAKES, running=st.sampled_from([0, 1]))
    def claim(self, takes: TakesTasksFrom, running: int) -> None:
        may = (takes == "team" or self.allowed) and running == 0
        with self._refused_unless(may and self.task.state == "requested", Conflict, CrossOwnerOff, LimitExceeded):
            said = a_claim(self.task, key=f"run-{len(self.attempts)}")
            attempt = claim(self.task, said, a_device(takes), running, self.now, POLICY)
            assert attempt.expires_at == self.now + LAUNCH_TIMEOUT
            self.attempts.append(attempt)
            self.begun += 1

    @precondition(lambda self: any(attempt.kind == "run" for attempt in self.attempts))
    @rule(data=st.data())
    def repeat_claim(self, data: st.DataObject) -> None:
        attempt = data.draw(st.sampled_from([attempt for attempt in self.attempts if attempt.kind == "run"]))
        former, token = self._everything(), attempt.token_sha256
        try:
            repeat_claim(attempt, a_claim(self.task, token=f"again-{attempt.attempt_id}"), self.now)
        except StaleAttempt:
            assert not self._is_live(attempt)
        else:
            assert self._is_live(attempt)
            attempt.token_sha256 = token
        assert self._everything() == former

    @rule(by=CALLERS)
    def decline(self, by: Caller) -> None:
        with self._refused_unless(by is CLAUDE and self.task.state == "requested", Conflict, Forbidden):
            self.task.decline(by, "No time.", self.now)

    @precondition(lambda self: self.attempts)
    @rule(data=st.data())
    def advance(self, data: st.DataObject) -> None:
        attempt = data.draw(st.sampled_from(self.attempts))
        with self._refused_unless(self._is_live(attempt), StaleAttempt):
            attempt.require_live(self.now)
            self.task.advance(attempt, a_checkpoint(self.task, attempt), self.now, POLICY)

    @precondition(lambda self: self.attempts)
    @rule(data=st.data())
    def show_life(self, data: st.DataObject) -> None:
        attempt = data.draw(st.sampled_from(self.attempts))
        before = attempt.deadline
        if attempt.show_life(self.now, POLICY):
            assert self._is_live(attempt)
            assert attempt.deadline - before >= HEARTBEAT / 10 or attempt.deadline == attempt.expires_at
        else:
            assert attempt.deadline == before

    @precondition(lambda self: self.attempts)
    @rule(data=st.data(), outcome=OUTCOMES)
    def finish(self, data: st.DataObject, outcome: Outcome) -> None:
        attempt = data.draw(st.sampled_from(self.attempts))
        with self._refused_unless(self._is_live(attempt), StaleAttempt):
            attempt.require_live(self.now)
            said = a_return(self.task, attempt, outcome=outcome)
            self.results.append(self.task.finish(attempt, said, self.now))

    @precondition(lambda self: self.attempts)
    @rule(data=st.data())
    def ask(self, data: st.DataObject) -> None:
        """R7: a held task waits, however often its holder asks."""
        attempt = data.draw(st.sampled_from(self.attempts))
        with self._refused_unless(self._is_live(attempt), StaleAttempt):
            attempt.require_live(self.now)
            self.task.wait("Which form?", self.now)

    @precondition(lambda self: self.task.state == "waiting")
    @rule()
    def answer(self) -> None:
        """R3, R7: it goes on, or is requested again when its run has ended."""
        self.mark_lapse()
        held = self.task.attempt is not None
        with self._refused_unless(True):
            self.task.resume("The small one.", self.now, POLICY)
        assert self.task.state == ("working" if held else "requested")

    @precondition(lambda self: self.task.attempt)
    @rule()
    def report(self) -> None:
        assert self.task.attempt is not None
        with self._refused_unless(True):
            self.begun -= self.task.state == "waiting"
            self.task.give_back(self.task.attempt, "reported", "jonas", self.now, POLICY)

    @rule(seconds=st.sampled_from([1, 59, 300, 600, 1800]))
    def let_time_pass(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)

    @rule()
    def mark_lapse(self) -> None:
        """R3: while the task waits only the launch timeout ends its attempt, which then does not count."""
        attempt, waits = self.task.attempt, self.task.state == "waiting"
        deadline = (attempt.expires_at if waits else attempt.deadline) if attempt else None
        overdue = deadline is not None and deadline <= self.now
        assert (self.task.lapse(self.now, POLICY) is not None) is overdue
        self.begun -= overdue and waits

    @precondition(lambda self: self.task.state in UNTAKEN and self.task.is_due(self.now))
    @rule()
    def expire(self) -> None:
        with self._refused_unless(True):
            self.task.expire(self.now)

    @precondition(lambda self: self.results)
    @rule(by=CALLERS, verdict=st.sampled_from(["accepted", "rejected"]))
    def review(self, by: Caller, verdict: Verdict) -> None:
        newest = self.results[-1]
        if by in DECIDERS and newest.verdict == verdict:
            before = self._everything()
            assert not self.task.review(newest, verdict, by, "So.", self.now)
            assert self._everything() == before
            return
        with self._refused_unless(by in DECIDERS and self.task.state == "returned", Conflict, Forbidden):
            self.task.review(newest, verdict, by, "So.", self.now)
            self.begun = 0 if verdict == "rejected" else self.begun

    @rule(by=CALLERS)
    def cancel(self, by: Caller) -> None:
        with self._refused_unless(by in DECIDERS and self.task.state not in FINAL, Conflict, Forbidden):
            self.task.cancel(by, "Not needed.", self.now)

    @invariant()
    def at_most_one_attempt_is_live_and_only_while_working_or_waiting(self) -> None:
        live = [attempt for attempt in self.attempts if attempt.ended_at is None]
        assert live == ([self.task.attempt] if self.task.attempt else [])
        assert bool(live) is (self.task.state == "working") or self.task.state == "waiting"

    @invariant()
    def nobody_takes_a_task_that_waits(self) -> None:
        if self.task.state == "waiting":
            with self._refused_unless(False, Conflict):
                self.task.take(CLAUDE, None, self.now, POLICY)

    @invariant()
    def nothing_holds_a_run_past_its_launch_timeout(self) -> None:
        for attempt in self.attempts:
            assert attempt.kind != "run" or attempt.deadline <= attempt.started_at + LAUNCH_TIMEOUT

    @invariant()
    def attempts_are_counted_since_the_last_reject_and_bounded(self) -> None:
        assert self.task.attempts_used == self.begun <= POLICY.max_attempts
        assert self.task.state != "failed" or self.begun == POLICY.max_attempts

    @invariant()
    def one_result_awaits_a_review_exactly_when_the_task_is_returned(self) -> None:
        open_results = [result for result in self.results if result.verdict is None]
        assert len(open_results) <= 1
        assert self.task.state != "returned" or open_results == self.results[-1:]

    @invariant()
    def a_task_that_its_owner_refused_is_never_worked_on(self) -> None:
        assert not self.refused or (self.task.state == "declined" and not self.attempts)


TestTaskLife = TaskLife.TestCase
TestTaskLife.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
