"""Tasks: where each stands, who may see it and who may change it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal, get_args

from sqlalchemy import Column, Index, Integer, String, text
from sqlalchemy.orm import foreign, relationship
from sqlmodel import Field, Relationship, col

from libs.contracts import tasks as views
from libs.contracts.caller import Caller
from libs.contracts.errors import Conflict, Forbidden, InvalidInput
from libs.contracts.policy import Policy
from libs.storage import UtcDateTime, new_id
from services.tasks.domain.attempts import Attempt, Ending
from services.tasks.domain.checkpoints import Checkpoint
from services.tasks.domain.results import Result, Verdict
from services.tasks.domain.table import TasksTable

Decision = Literal["allowed", "refused"]
Stopped = Literal["cancelled", "declined"]
FINAL: frozenset[views.TaskState] = frozenset({"accepted", "declined", "cancelled", "failed", "expired"})
UNTAKEN: frozenset[views.TaskState] = frozenset({"awaiting_owner", "requested"})
OPEN: frozenset[views.TaskState] = frozenset(get_args(views.TaskState)) - FINAL
IS_UNTAKEN = text("state IN ('awaiting_owner', 'requested')")
VERSION = Column("version", Integer, nullable=False)


class Task(TasksTable, table=True):
    """What one agent is asked to do. A change raises `version` and is stored only over the version it was based on."""

    __tablename__ = "tasks"
    __mapper_args__ = {"version_id_col": VERSION, "version_id_generator": False}  # noqa: RUF012
    __table_args__ = (
        Index("tasks_by_assignee", "assignee", "created_at"),
        Index("tasks_by_requester", "requester", "created_at"),
        Index("tasks_by_assignee_owner", "assignee_owner", "created_at"),
        Index("tasks_by_requester_owner", "requester_owner", "created_at"),
        Index("tasks_by_project_owner", "project_owner", "state"),
        Index("untaken_tasks_by_due_date", "due_at", sqlite_where=IS_UNTAKEN, postgresql_where=IS_UNTAKEN),
    )

    task_id: str = Field(default_factory=lambda: new_id("task"), primary_key=True)
    project: str
    project_owner: str
    title: str
    state: views.TaskState = Field(default="requested", sa_type=String)
    requester: str
    requester_owner: str
    assignee: str
    assignee_owner: str
    attempt_id: str | None = None
    attempts_used: int = 0
    branch: str | None = None
    due_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    decision: Decision | None = Field(default=None, sa_type=String)
    """What the assignee's owner said to a task from outside (R2)."""
    note: str | None = None
    message_id: str = Field(default_factory=lambda: new_id("msg"))
    version: int = Field(default=1, sa_column=VERSION)
    created_at: datetime = Field(sa_type=UtcDateTime)
    updated_at: datetime = Field(sa_type=UtcDateTime)
    attempt: Attempt | None = Relationship(
        sa_relationship=relationship(
            Attempt, primaryjoin=lambda: foreign(col(Task.attempt_id)) == col(Attempt.attempt_id), lazy="selectin"
        )
    )
    """The live attempt (R3)."""

    def seen_by(self, caller: Caller) -> bool:
        """Whether the caller sees it: both sides with their owners, and the project's owner (R1)."""
        if caller.project not in (None, self.project):
            return False
        return caller.person in (self.requester_owner, self.assignee_owner) or caller.subject == self.project_owner

    @property
    def is_from_outside(self) -> bool:
        """Whether neither the assignee's owner nor another of the owner's agents asked for it (R2, R11)."""
        return self.requester_owner != self.assignee_owner

    def is_due(self, now: datetime) -> bool:
        """Whether its due date has passed (R13)."""
        return self.due_at is not None and self.due_at <= now

    def decide(self, decision: Decision, caller: Caller, note: str | None, now: datetime) -> bool:
        """Let the assignee's owner allow or refuse it; False when that was the decision already (R2)."""
        if caller.subject != self.assignee_owner:
            raise Forbidden(f"Leave this decision to {self.assignee_owner}, whose agent the task is for.")
        if self.decision == decision:
            return False
        if self.state not in (UNTAKEN if decision == "allowed" else {"awaiting_owner"}):
            raise Conflict(f"This task is {self.state} and awaits no decision of yours; leave it as it is.")
        self.decision = decision
        self._become("requested" if decision == "allowed" else "declined", now, note)
        return True

    def take(self, caller: Caller, note: str | None, now: datetime, policy: Policy) -> Attempt:
        """Make the assignee's new attempt the one that holds it (R5)."""
        self._only_for_assignee(caller)
        self._only_requested()
        attempt = Attempt(task_id=self.task_id, agent_id=caller.subject, started_at=now, deadline=now)
        self._start(attempt, note, now, policy)
        return attempt

    def claim(self, said: views.ClaimTask, device_id: str, now: datetime, policy: Policy) -> Attempt:
        """Make a device's run the attempt that holds it (R5, R10)."""
        self._only_requested()
        attempt = Attempt(
            task_id=self.task_id,
            agent_id=self.assignee,
            kind="run",
            started_at=now,
            deadline=now,
            device_id=device_id,
            idempotency_key=said.idempotency_key,
            token_sha256=said.token_sha256,
            expires_at=now + timedelta(seconds=policy.launch_timeout_seconds),
            cause=self._cause_of_run(said.wake),
        )
        self._start(attempt, None, now, policy)
        return attempt

    def decline(self, caller: Caller, reason: str, now: datetime) -> None:
        """Let the assignee give it back without taking it."""
        self._only_for_assignee(caller)
        self._only_requested()
        self._become("declined", now, reason)

    def advance(self, attempt: Attempt, said: views.MakeCheckpoint, now: datetime, policy: Policy) -> Checkpoint:
        """Renew a live attempt and keep how far it is."""
        attempt.renew(now, policy)
        self._change(now)
        return Checkpoint(
            task_id=self.task_id,
            attempt_id=attempt.attempt_id,
            version=self.version,
            at=now,
            **said.model_dump(include={"summary", "progress", "branch", "commit", "files", "next", "blocked_on"}),
        )

    def finish(self, attempt: Attempt, said: views.ReturnResult, now: datetime) -> Result:
        """End a live attempt with its result: `declined` gives the task up, other outcomes await a review (R15)."""
        self._end(attempt, "returned", attempt.agent_id, now)
        self._become("declined" if said.outcome == "declined" else "returned", now)
        return Result(
            task_id=self.task_id,
            attempt_id=attempt.attempt_id,
            agent_id=attempt.agent_id,
            version=self.version,
            outcome=said.outcome,
            summary=said.summary,
            evidence=[item.wire() for item in said.evidence],
            memory_proposals=[proposal.wire() for proposal in said.memory_proposals or ()],
            returned_at=now,
        )

    def wait(self, note: str, now: datetime) -> None:
        """Stop for an answer: the heartbeat deadline counts no longer (R3, R7)."""
        self._become("waiting", now, note)

    def resume(self, note: str | None, now: datetime, policy: Policy) -> None:
        """Go on with the answer; where the run has ended meanwhile it is requested again (R3, R7)."""
        if self.attempt is not None:
            self.attempt.renew(now, policy)
        self._become("requested" if self.attempt is None else "working", now, note)

    def lapse(self, now: datetime, policy: Policy) -> Attempt | None:
        """End the attempt that nobody renewed in time and reopen or fail the task; None when it was renewed (R4)."""
        deadline = self.attempt.deadline_of(self.state == "waiting") if self.attempt is not None else None
        if self.attempt is None or deadline is None or deadline > now:
            return None
        return self.give_back(self.attempt, "lapsed", None, now, policy)

    def give_back(self, attempt: Attempt, ending: Ending, by: str | None, now: datetime, policy: Policy) -> Attempt:
        """End its live attempt without a result: it is requested again, or fails when its attempts are used up (R4).

        One that waits goes on waiting: the answer reopens it, and the attempt does not count (R3).
        """
        self._end(attempt, ending, by, now)
        if self.state == "waiting":
            self.attempts_used -= 1
            self._change(now)
        else:
            self._become("failed" if self.attempts_used >= policy.max_attempts else "requested", now)
        return attempt

    def expire(self, now: datetime) -> None:
        """End it because it was due before anybody took it (R13)."""
        self._become("expired", now)

    def review(self, result: Result, verdict: Verdict, caller: Caller, note: str | None, now: datetime) -> bool:
        """Accept or reject the returned result; False when that was its verdict already (R6, R16)."""
        self._only_for_reviewers(caller, result)
        if result.verdict == verdict:
            return False
        if result.verdict is not None:
            raise Conflict(f"This result is {result.verdict} already; call check_inbox to see where the task stands.")
        if self.state != "returned":
            raise Conflict(f"This task is {self.state} and awaits no review; leave it, or hand off a new task.")
        result.judge(verdict, caller.subject, note, now)
        if verdict == "rejected":
            self._start_over(now)
        self._become("requested" if verdict == "rejected" else "accepted", now)
        return True

    def cancel(self, caller: Caller, reason: str, now: datetime) -> Attempt | None:
        """End it together with its attempt, which is returned (R8)."""
        if not self.is_decided_by(caller):
            raise Forbidden("Ask the requester, the requester's owner or the project's owner to cancel this task.")
        if self.state in FINAL:
            raise Conflict(f"This task is {self.state}, which is final; there is nothing left to cancel.")
        return self.stop(caller.subject, reason, now)

    def stop(self, by: str, reason: str, now: datetime, state: Stopped = "cancelled") -> Attempt | None:
        """End it, and its attempt with it, which is returned."""
        attempt = self.attempt
        if attempt is not None:
            self._end(attempt, "cancelled", by, now)
        self._become(state, now, reason)
        return attempt

    def view(self, viewer: str) -> views.Task:
        """The task as shown to an address: nobody but the holder sees the live attempt's id."""
        shown = {name: getattr(self, name) for name in views.Task.model_fields if name != "attempt"}
        attempt = None if self.attempt is None else self.attempt.live_view(viewer, waits=self.state == "waiting")
        return views.Task.model_validate({**shown, "attempt": attempt})

    def is_decided_by(self, caller: Caller) -> bool:
        """Whether the caller speaks for the requester's side (R16)."""
        return caller.subject in (self.requester, self.requester_owner, self.project_owner)

    def _only_for_assignee(self, caller: Caller) -> None:
        if caller.subject != self.assignee:
            raise Forbidden(
                f"Leave this task to {self.assignee}: only the agent it was handed to may take or decline it."
            )

    def _only_for_reviewers(self, caller: Caller, result: Result) -> None:
        if caller.subject == result.agent_id or not self.is_decided_by(caller):
            raise Forbidden("Leave the review to the requester, the requester's owner or the project's owner.")

    def _only_requested(self) -> None:
        if self.attempt is not None:
            raise Conflict(
                f"This task is held by {self.attempt.agent_id} now; go on under that attempt or wait until it ends.",
                details={"holder": self.attempt.agent_id},
            )
        if self.state != "requested":
            raise Conflict(f"This task is {self.state}, not requested; call check_inbox for tasks that you can take.")

    def _cause_of_run(self, wake: views.Wake | None) -> str | None:
        """Its Task request: by itself when the owner's side asked for it, else when the device names it (R11)."""
        if wake is not None and wake.message_id != self.message_id:
            raise InvalidInput("Name the task's own Task request, or leave wake out.", field="wake.message_id")
        return self.message_id if wake is not None or not self.is_from_outside else None

    def _start(self, attempt: Attempt, note: str | None, now: datetime, policy: Policy) -> None:
        attempt.renew(now, policy)
        self.attempt = attempt
        self.attempts_used += 1
        self._become("working", now, note)

    def _start_over(self, now: datetime) -> None:
        """Count attempts from 1 again; a due date that has passed no longer counts, for it is asked for again (R6)."""
        self.attempts_used = 0
        self.due_at = None if self.is_due(now) else self.due_at

    def _end(self, attempt: Attempt, ending: Ending, by: str | None, now: datetime) -> None:
        attempt.end(ending, by, now)
        self.attempt = None

    def _become(self, state: views.TaskState, now: datetime, note: str | None = None) -> None:
        self.state, self.note = state, note
        self._change(now)

    def _change(self, now: datetime) -> None:
        self.version += 1
        self.updated_at = now
