"""Directives: what a checkpoint brings back to whoever works on a task."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from libs.contracts.tasks import Directive
from services.tasks.domain.attempts import Attempt
from services.tasks.domain.requests import Request
from services.tasks.domain.tasks import Task
from services.tasks.domain.whole import Room

OVERDUE = "Return a result now: the task is overdue."
KINDS = {"clarification": "clarified", "capability": "capability", "step": "step"}
DECIDED = {
    ("clarification", "answered"): "Go on with the answer to your question.",
    ("capability", "approved"): "You may use this capability until it ends.",
    ("capability", "denied"): "Do without this capability: your owner denied it.",
    ("step", "done"): "Go on: your owner has done this step.",
    ("step", "denied"): "Do without this step: your owner denied it.",
}
"""What follows from a decision, by kind and status."""


def directives(task: Task, attempt: Attempt, decided: Sequence[Request], room: Room, now: datetime) -> list[Directive]:
    """That the task is overdue (R13), and what was decided, as far as there is room.

    What this attempt was not told yet comes first; what does not fit comes with the next checkpoint.
    """
    due = [Directive(kind="deadline", at=task.due_at, message=OVERDUE)] if task.is_due(now) else []
    news = sorted(decided, key=lambda request: (request.told_in == attempt.attempt_id, request.at, request.request_id))
    told = room.take([_directive(request) for request in news])
    for request in news[: len(told)]:
        request.told_in = attempt.attempt_id
    return due + told


def _directive(request: Request) -> Directive:
    message = DECIDED[(request.kind, request.status)]
    return Directive(kind=KINDS[request.kind], at=request.expires_at, message=message, request=request.view())
