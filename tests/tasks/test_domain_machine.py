"""The life of a task, whatever is called in whatever order (R3, R4, R5, R6, R8, R9, R16)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from libs.contracts.caller import Caller
from libs.contracts.errors import Conflict, Forbidden, StaleAttempt
from libs.contracts.tasks import Outcome
from services.tasks.domain import FINAL, Attempt, Result, Task, Verdict
from tests.tasks.given import CLAUDE, CODEX, JONAS, MAYA, NOW, POLICY, ROSA, a_checkpoint, a_return, requested

CALLERS = st.sampled_from([CODEX, CLAUDE, MAYA, JONAS, ROSA])
DECIDERS = (CODEX, MAYA, ROSA)
OUTCOMES = st.sampled_from(["done", "partial", "blocked", "failed", "declined"])


class TaskLife(RuleBasedStateMachine):
    """One task, everybody who sees it, and time."""

    @initialize()
    def hand_off(self) -> None:
        self.now = NOW
        self.task: Task = requested()
        self.attempts: list[Attempt] = []
        self.results: list[Result] = []
        self.begun = 0

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

    @rule(by=CALLERS)
    def take(self, by: Caller) -> None:
        with self._refused_unless(by is CLAUDE and self.task.state == "requested", Conflict, Forbidden):
            self.attempts.append(self.task.take(by, None, self.now, POLICY))
            self.begun += 1

    @rule(by=CALLERS)
    def decline(self, by: Caller) -> None:
        with self._refused_unless(by is CLAUDE and self.task.state == "requested", Conflict, Forbidden):
            self.task.decline(by, "No time.", self.now)

    @precondition(lambda self: self.attempts)
    @rule(data=st.data())
    def advance(self, data: st.DataObject) -> None:
        attempt = data.draw(st.sampled_from(self.attempts))
        with self._refused_unless(self.task.attempt is attempt, StaleAttempt):
            attempt.require_live(self.now)
            self.task.advance(attempt, a_checkpoint(self.task, attempt), self.now, POLICY)
            assert attempt.deadline == self.now + timedelta(seconds=POLICY.attempt_deadline_seconds)

    @precondition(lambda self: self.attempts)
    @rule(data=st.data(), outcome=OUTCOMES)
    def finish(self, data: st.DataObject, outcome: Outcome) -> None:
        attempt = data.draw(st.sampled_from(self.attempts))
        with self._refused_unless(self.task.attempt is attempt, StaleAttempt):
            attempt.require_live(self.now)
            said = a_return(self.task, attempt, outcome=outcome)
            self.results.append(self.task.finish(attempt, said, self.now))

    @rule(seconds=st.sampled_from([1, 300, 600]))
    def let_time_pass(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)

    @rule()
    def mark_lapse(self) -> None:
        overdue = self.task.attempt is not None and self.task.attempt.deadline <= self.now
        assert (self.task.lapse(self.now, POLICY) is not None) is overdue

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
    def at_most_one_attempt_is_live_and_only_while_working(self) -> None:
        live = [attempt for attempt in self.attempts if attempt.ended_at is None]
        assert live == ([self.task.attempt] if self.task.attempt else [])
        assert bool(live) is (self.task.state == "working")

    @invariant()
    def attempts_are_counted_since_the_last_reject_and_bounded(self) -> None:
        assert self.task.attempts_used == self.begun <= POLICY.max_attempts
        assert self.task.state != "failed" or self.begun == POLICY.max_attempts

    @invariant()
    def one_result_awaits_a_review_exactly_when_the_task_is_returned(self) -> None:
        open_results = [result for result in self.results if result.verdict is None]
        assert len(open_results) <= 1
        assert self.task.state != "returned" or open_results == self.results[-1:]


TestTaskLife = TaskLife.TestCase
TestTaskLife.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
