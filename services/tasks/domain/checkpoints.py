"""Checkpoints: how far an attempt is."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field

from libs.contracts import tasks as views
from libs.storage import JsonValue, UtcDateTime, new_id
from services.tasks.domain.table import TasksTable


class Checkpoint(TasksTable, table=True):
    """Progress of an attempt; the last one helps the next holder (R4)."""

    __tablename__ = "checkpoints"

    checkpoint_id: str = Field(default_factory=lambda: new_id("chk"), primary_key=True)
    task_id: str = Field(foreign_key="tasks.task_id", index=True)
    attempt_id: str = Field(foreign_key="attempts.attempt_id")
    version: int
    """The task's version that it made: the order of a task's checkpoints."""
    summary: str
    progress: int | None = None
    branch: str | None = None
    commit: str | None = None
    files: list[str] | None = Field(default=None, sa_type=JsonValue)
    next: str | None = None
    blocked_on: str | None = None
    at: datetime = Field(sa_type=UtcDateTime)

    def view(self) -> views.Checkpoint:
        """The checkpoint as it is shown."""
        return views.Checkpoint.model_validate(self, from_attributes=True)
