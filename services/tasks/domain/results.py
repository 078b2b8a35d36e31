"""Results: what an attempt returned, and the review of it."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from sqlalchemy import String
from sqlmodel import Field

from libs.contracts import tasks as views
from libs.contracts.errors import InvalidInput
from libs.storage import JsonValue, UtcDateTime, new_id
from services.tasks.domain.table import TasksTable

Verdict = Literal["accepted", "rejected"]


class Result(TasksTable, table=True):
    """A returned result; reviewed once (R16)."""

    __tablename__ = "results"

    result_id: str = Field(default_factory=lambda: new_id("res"), primary_key=True)
    task_id: str = Field(foreign_key="tasks.task_id", index=True)
    attempt_id: str = Field(foreign_key="attempts.attempt_id")
    agent_id: str
    """The agent that did the work, and so may not review it."""
    version: int
    """The task's version that it made: the order of a task's results."""
    outcome: views.Outcome = Field(sa_type=String)
    summary: str
    evidence: list[dict[str, Any]] = Field(sa_type=JsonValue)
    memory_proposals: list[dict[str, Any]] = Field(default_factory=list, sa_type=JsonValue)
    returned_at: datetime = Field(sa_type=UtcDateTime)
    verdict: Verdict | None = Field(default=None, sa_type=String)
    reviewed_by: str | None = None
    review_note: str | None = None
    reviewed_at: datetime | None = Field(default=None, sa_type=UtcDateTime)

    def judge(self, verdict: Verdict, by: str, note: str | None, now: datetime) -> None:
        """Keep what the requester's side says of it."""
        self.verdict, self.reviewed_by, self.review_note, self.reviewed_at = verdict, by, note, now

    def view(self, viewer: str) -> views.Result:
        """The result as it is shown: only the agent that did the work sees the attempt's id."""
        return views.Result.model_validate(
            {
                "result_id": self.result_id,
                "task_id": self.task_id,
                "attempt_id": self.attempt_id if viewer == self.agent_id else None,
                "outcome": self.outcome,
                "summary": self.summary,
                "evidence": self.evidence,
                "memory_proposals": self.memory_proposals or None,
                "returned_at": self.returned_at,
                "review": self._review(),
            }
        )

    def _review(self) -> views.Review | None:
        if self.verdict is None or self.reviewed_by is None or self.reviewed_at is None:
            return None
        return views.Review(verdict=self.verdict, by=self.reviewed_by, note=self.review_note, at=self.reviewed_at)


def check_proposals(said: views.ReturnResult) -> None:
    """Refuse a result that proposes two values of one key."""
    keys = [proposal.key for proposal in said.memory_proposals or ()]
    for index, key in enumerate(keys):
        if key in keys[:index]:
            raise InvalidInput("Propose each key once.", field=f"memory_proposals[{index}].key")
