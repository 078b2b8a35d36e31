"""Tasks and requests, as the HTTP API answers them."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

from prickle.views.rooms import Message, Proposal


class Result(TypedDict):
    """A returned result."""

    result_id: str
    task_id: str
    outcome: str
    summary: str
    evidence: list[dict[str, Any]]
    returned_at: str
    review: dict[str, Any] | None


class Task(TypedDict):
    """A task; its packet only where it is shown whole."""

    task_id: str
    project: str
    title: str
    state: str
    requester: str
    assignee: str
    branch: str | None
    due_at: str | None
    note: NotRequired[str]
    message_id: str
    created_at: str
    updated_at: str
    packet: NotRequired[dict[str, Any]]
    checkpoints: NotRequired[list[dict[str, Any]]]
    results: NotRequired[list[Result]]


class TaskPage(TypedDict):
    """Tasks, newest first."""

    tasks: list[Task]
    next_cursor: str | None


class Reviewed(TypedDict):
    """A task with the result that awaits a review or was reviewed."""

    task: Task
    result: Result


class Handoff(TypedDict):
    """A new task and its Task request."""

    task: Task
    message: Message


class Request(TypedDict):
    """What an agent asked of a person, and what was said to it."""

    request_id: str
    kind: Literal["clarification", "capability", "step"]
    task_id: str | None
    project: str
    asked_by: str
    question: NotRequired[str]
    options: NotRequired[list[str]]
    capability: NotRequired[str]
    reason: NotRequired[str]
    for_seconds: NotRequired[int]
    step: NotRequired[str]
    why: NotRequired[str]
    blocks: NotRequired[bool]
    status: str
    answer: str | None
    decided_by: str | None
    expires_at: str | None
    at: str


class RequestPage(TypedDict):
    """Requests, newest first."""

    requests: list[Request]
    last: str | None


class Inbox(TypedDict):
    """What awaits a person, each list with the newest first."""

    reviews: list[Reviewed]
    tasks: list[Task]
    requests: list[Request]
    proposals: list[Proposal]
