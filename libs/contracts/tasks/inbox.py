"""What check_inbox shows."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from libs.contracts.base import Query, View, absent
from libs.contracts.tasks.attempts import Checkpoint
from libs.contracts.tasks.fields import Role, TaskState
from libs.contracts.tasks.handoffs import Packet
from libs.contracts.tasks.requests import Request
from libs.contracts.tasks.results import Result
from libs.contracts.tasks.tasks import Task
from libs.contracts.types import Cursor, Id, Slug


class WholeTask(Task):
    """A task shown whole: newest results and checkpoints first."""

    packet: Packet | None = absent("What the assignee works from.")
    checkpoints: list[Checkpoint] | None = absent("Its checkpoints, newest first.")
    results: list[Result] | None = absent("Its results, newest first.")
    requests: list[Request] | None = absent("What was asked while working on it, newest first, with the answers.")
    cause: Id | None = absent("The Task request that is the cause of its run, when a runner has claimed it.")


class AwaitedReview(View):
    """A result that awaits a review."""

    task: Task = Field(description="The task it belongs to.")
    result: Result = Field(description="The result to accept or reject.")


class Inbox(View):
    """The output of check_inbox."""

    tasks: list[WholeTask] = Field(description="The tasks, newest first.")
    reviews: list[AwaitedReview] = Field(description="The newest 20 results that await the caller's review.")
    requests: list[Request] = Field(description="The newest 20 requests that await the caller's answer.")
    next_cursor: str | None = Field(description="Pass it as cursor for the next page; null when nothing is left.")


class CheckInbox(View):
    """The input of check_inbox."""

    project: Slug | None = absent("Only tasks of this project.")
    role: Role | None = absent("assignee, requester, or owner (tasks of your owner's agents); both first by default.")
    states: Annotated[list[TaskState], Field(min_length=1)] | None = absent(
        "Only these states; by default all that are not final."
    )
    task_id: Id | None = absent("Show this one task whole.")
    cursor: Cursor | None = absent("The next_cursor of the former page; leave it out for the first.")
    limit: int = Field(default=20, ge=1, le=50, description="Tasks per page.")


class InboxPage(View):
    """Tasks and what awaits the caller."""

    tasks: list[WholeTask]
    reviews: list[AwaitedReview]
    requests: list[Request] = Field(default_factory=list)
    last: str | None
    """What the next page starts after; None when nothing is left."""
    omitted: dict[str, int] = Field(default_factory=dict)
    """How many of what was cut to keep the answer within its size, by name; not what a next page has."""


class ReadInbox(Query[InboxPage], service="tasks"):
    """The tasks the caller may see, newest first."""

    project: Slug | None = None
    role: Role | None = None
    states: list[TaskState] | None = None
    task_id: Id | None = None
    after: str | None = None
    limit: int = 20
