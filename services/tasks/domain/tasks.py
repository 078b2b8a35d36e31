"""Tasks: where each stands, who may see it and who may change it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import get_args

from sqlalchemy import Column, Index, Integer, String
from sqlalchemy.orm import foreign, relationship
from sqlmodel import Field, Relationship, col

from libs.contracts import tasks as views
from libs.contracts.caller import Caller
from libs.contracts.errors import Conflict, Forbidden
from libs.contracts.policy import Policy
from libs.storage import UtcDateTime, new_id
from services.tasks.domain.attempts import Attempt, Ending
from services.tasks.domain.checkpoints import Checkpoint
from services.tasks.domain.results import Result, Verdict
from services.tasks.domain.table import TasksTable

FINAL: frozenset[views.TaskState] = frozenset({"accepted", "declined", "cancelled", "failed"})
OPEN: frozenset[views.TaskState] = frozenset(get_args(views.TaskState)) - FINAL
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
        return caller.person in (self.requester_owner, self.assignee_owner) or caller.subject == self.project_owner

    def take(self, caller: Caller, note: str | None, now: datetime, policy: Policy) -> Attempt:
        """Make the assignee's new attempt the one that holds it (R5)."""
        self._only_for_assignee(caller)
        self._only_requested()
        deadline = now + timedelta(seconds=policy.attempt_deadline_seconds)
        attempt = Attempt(task_id=self.task_id, agent_id=caller.subject, started_at=now, deadline=deadline)
        self.attempt = attempt
        self.attempts_used += 1
        self._become("working", now, note)
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
            returned_at=now,
        )

    def lapse(self, now: datetime, policy: Policy) -> Attempt | None:
        """End the attempt that nobody renewed in time and reopen or fail the task; None when it was renewed (R4)."""
        attempt = self.attempt
        if attempt is None or attempt.deadline > now:
            return None
        self._end(attempt, "lapsed", None, now)
        self._become("failed" if self.attempts_used >= policy.max_attempts else "requested", now)
        return attempt

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
        self.attempts_used = 0 if verdict == "rejected" else self.attempts_used
        self._become("requested" if verdict == "rejected" else "accepted", now)
        return True

    def cancel(self, caller: Caller, reason: str, now: datetime) -> Attempt | None:
        """End it together with its attempt, which is returned (R8)."""
        if not self._decided_by(caller):
            raise Forbidden("Ask the requester, the requester's owner or the project's owner to cancel this task.")
        if self.state in FINAL:
            raise Conflict(f"This task is {self.state}, which is final; there is nothing left to cancel.")
        attempt = self.attempt
        if attempt is not None:
            self._end(attempt, "cancelled", caller.subject, now)
        self._become("cancelled", now, reason)
        return attempt

    def view(self, viewer: str) -> views.Task:
        """The task as shown to an address: nobody but the holder sees the live attempt's id."""
        shown = {name: getattr(self, name) for name in views.Task.model_fields if name != "attempt"}
        attempt = None if self.attempt is None else self.attempt.live_view(viewer)
        return views.Task.model_validate({**shown, "attempt": attempt})

    def _decided_by(self, caller: Caller) -> bool:
        return caller.subject in (self.requester, self.requester_owner, self.project_owner)

    def _only_for_assignee(self, caller: Caller) -> None:
        if caller.subject != self.assignee:
            raise Forbidden(
                f"Leave this task to {self.assignee}: only the agent it was handed to may take or decline it."
            )

    def _only_for_reviewers(self, caller: Caller, result: Result) -> None:
        if caller.subject == result.agent_id or not self._decided_by(caller):
            raise Forbidden("Leave the review to the requester, the requester's owner or the project's owner.")

    def _only_requested(self) -> None:
        if self.attempt is not None:
            raise Conflict(
                f"This task is held by {self.attempt.agent_id} now; go on under that attempt or wait until it ends.",
                details={"holder": self.attempt.agent_id},
            )
        if self.state != "requested":
            raise Conflict(f"This task is {self.state}, not requested; call check_inbox for tasks that you can take.")

    def _end(self, attempt: Attempt, ending: Ending, by: str | None, now: datetime) -> None:
        attempt.end(ending, by, now)
        self.attempt = None

    def _become(self, state: views.TaskState, now: datetime, note: str | None = None) -> None:
        self.state, self.note = state, note
        self._change(now)

    def _change(self, now: datetime) -> None:
        self.version += 1
        self.updated_at = now
