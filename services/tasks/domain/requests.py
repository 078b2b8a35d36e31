"""Requests: what an agent asked of its requester or owner, who answers, and what was decided (R7)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Index, String
from sqlmodel import Field

from libs.contracts import tasks as views
from libs.contracts.caller import Caller
from libs.contracts.errors import Conflict, Forbidden, InvalidInput
from libs.contracts.policy import Policy
from libs.contracts.types import owner_of
from libs.storage import JsonValue, UtcDateTime, new_id
from services.tasks.domain.table import TasksTable
from services.tasks.domain.tasks import Task

STATUSES: dict[views.RequestKind, dict[views.RequestDecision, views.RequestStatus]] = {
    "capability": {"approve": "approved", "deny": "denied"},
    "step": {"done": "done", "deny": "denied"},
}
"""Per kind what a decision makes of a request."""
WORDS: dict[views.RequestKind, tuple[str, str | None]] = {
    "clarification": ("question", None),
    "capability": ("capability", "reason"),
    "step": ("step", "why"),
}
"""Per kind how what is asked, and why, are called."""


class Request(TasksTable, table=True):
    """A question, or something that a person must allow or do; decided once."""

    __tablename__ = "requests"
    __table_args__ = (
        Index("requests_by_answerer", "awaits", "status"),
        Index("requests_by_answerers_owner", "awaits_owner", "status"),
        Index("requests_by_asker", "asked_by", "status"),
    )

    request_id: str = Field(default_factory=lambda: new_id("req"), primary_key=True)
    kind: views.RequestKind = Field(sa_type=String)
    project: str
    task_id: str | None = Field(default=None, foreign_key="tasks.task_id", index=True)
    asked_by: str
    awaits: str
    """Who is to answer: the task's requester, or the agent's owner."""
    awaits_owner: str
    what: str
    why: str | None = None
    options: list[str] | None = Field(default=None, sa_type=JsonValue)
    for_seconds: int | None = None
    blocks: bool = False
    """Whether its task waits for it."""
    status: views.RequestStatus = Field(default="pending", sa_type=String)
    answer: str | None = None
    decided_by: str | None = None
    expires_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    at: datetime = Field(sa_type=UtcDateTime)
    told_in: str | None = None
    """The attempt whose checkpoint brought the decision back."""

    def answered(self, said: views.AnswerClarification, caller: Caller, task: Task) -> bool:
        """Take the answer of the requester's side; False when it is the one that it has already."""
        if self.kind != "clarification":
            raise InvalidInput("Leave this request to the agent's owner: it is no clarification.", field="request_id")
        if not task.is_decided_by(caller):
            raise Forbidden("Leave the answer to the requester, the requester's owner or the project's owner.")
        return self._become("answered", said.answer, caller)

    def decide(self, said: views.DecideRequest, caller: Caller, now: datetime, policy: Policy) -> bool:
        """Take the decision of the agent's owner; False when that was the decision already."""
        if self.kind == "clarification":
            raise InvalidInput("Answer this clarification instead of deciding it.", field="request_id")
        owner = owner_of(self.asked_by)
        if caller.subject != owner:
            raise Forbidden(f"Leave this decision to {owner}, whose agent asks.")
        status = self._status_after(said, now)
        if not self._become(status, said.reason, caller):
            return False
        if status == "approved":
            self.expires_at = said.expires_at or now + timedelta(seconds=self.for_seconds or policy.capability_seconds)
        return True

    def close(self) -> None:
        """Let nobody decide it any more: its task or its agent is gone."""
        self.status = "closed"

    def _status_after(self, said: views.DecideRequest, now: datetime) -> views.RequestStatus:
        status = STATUSES[self.kind].get(said.decision)
        if status is None:
            raise InvalidInput(f"Say {' or '.join(STATUSES[self.kind])} of a {self.kind}.", field="decision")
        if status == "denied" and not said.reason:
            raise InvalidInput("Say why you deny it, for the agent.", field="reason")
        if said.expires_at is not None and status != "approved":
            raise InvalidInput("Give an end to an approval only.", field="expires_at")
        if said.expires_at is not None and said.expires_at <= now:
            raise InvalidInput("Give an end in the future, or none.", field="expires_at")
        return status

    def _become(self, status: views.RequestStatus, answer: str | None, caller: Caller) -> bool:
        if (self.status, self.decided_by) == (status, caller.subject) and answer in (None, self.answer):
            return False
        if self.status != "pending":
            by = "" if self.decided_by is None else f" by {self.decided_by}"
            raise Conflict(f"This request is {self.status} already{by}; leave it as it is.")
        self.status, self.answer, self.decided_by = status, answer, caller.subject
        return True

    def view(self) -> views.Request:
        """The request as it is shown."""
        what, why = WORDS[self.kind]
        said = {what: self.what} | ({why: self.why} if why is not None else {})
        blocks = self.blocks if self.kind == "step" else None
        return views.Request.model_validate({**self.model_dump(exclude={"why"}), "blocks": blocks, **said})


def clarification(said: views.RequestClarification, task: Task, caller: Caller, now: datetime) -> Request:
    """A question to the task's requester."""
    return Request(
        kind="clarification",
        project=task.project,
        task_id=task.task_id,
        asked_by=caller.subject,
        awaits=task.requester,
        awaits_owner=task.requester_owner,
        what=said.question,
        options=said.options,
        blocks=True,
        at=now,
    )


def capability(said: views.RequestCapability, task: Task | None, caller: Caller, now: datetime) -> Request:
    """Something that the agent's owner is to allow."""
    about = _of_owner(said, task, caller)
    return Request(
        kind="capability", what=said.capability, why=said.reason, for_seconds=said.for_seconds, at=now, **about
    )


def step(said: views.RequestStep, task: Task | None, caller: Caller, now: datetime) -> Request:
    """Something that the agent's owner is to do."""
    if said.blocks and task is None:
        raise InvalidInput("Name your task that waits for the step.", field="task_id")
    about = _of_owner(said, task, caller)
    return Request(kind="step", what=said.step, why=said.why, blocks=said.blocks, at=now, **about)


def _of_owner(said: views.RequestCapability | views.RequestStep, task: Task | None, caller: Caller) -> dict[str, Any]:
    if task is not None and task.project != said.project:
        raise InvalidInput("Name the task's own project.", field="project")
    return {
        "project": said.project,
        "task_id": None if task is None else task.task_id,
        "asked_by": caller.subject,
        "awaits": caller.person,
        "awaits_owner": caller.person,
    }
