"""The field types and words that the contracts of tasks share."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import StringConstraints

TaskState = Literal[
    "awaiting_owner",
    "requested",
    "working",
    "waiting",
    "returned",
    "accepted",
    "declined",
    "cancelled",
    "failed",
    "expired",
]
Outcome = Literal["done", "partial", "blocked", "failed", "declined"]
EvidenceKind = Literal["commit", "pull_request", "test_run", "file", "url", "log", "screenshot", "measurement", "note"]
Role = Literal["assignee", "requester", "owner"]
Text2000 = Annotated[str, StringConstraints(min_length=1, max_length=2000)]
Text8000 = Annotated[str, StringConstraints(min_length=1, max_length=8000)]
Criterion = Annotated[str, StringConstraints(min_length=1, max_length=300)]
Title = Annotated[str, StringConstraints(min_length=1, max_length=120)]
CommitId = Annotated[str, StringConstraints(min_length=1, max_length=64)]
KEY = "Repeat a call safely: the same key gives the first answer."
TASK = "The task's id."
ATTEMPT = (
    "The attempt you hold, as accept_task gave it: the proof that the task is still yours. "
    "Only a run with a credential of its own may leave it out."
)
