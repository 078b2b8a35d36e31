"""Tasks: handoffs, attempts, checkpoints, results with evidence, and reviews."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from libs.contracts.base import Command, Data, Event, Query, View, absent, internal
from libs.contracts.rooms import Message
from libs.contracts.types import (
    Address,
    AgentAddress,
    Branch,
    Cursor,
    File,
    Files,
    Id,
    IdempotencyKey,
    Slug,
    TakesTasksFrom,
    Time,
)

TaskState = Literal["requested", "working", "returned", "accepted", "declined", "cancelled", "failed"]
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
ATTEMPT = "The attempt you hold, as accept_task gave it: the proof that the task is still yours."


class LiveAttempt(View):
    """Who holds a task now."""

    attempt_id: Id | None = absent("The attempt's id, shown to its holder only.")
    kind: Literal["interactive", "run"] = Field(description="Taken by accept_task, or claimed by a runner.")
    started_at: Time = Field(description="When it was taken.")
    deadline: Time = Field(description="When it lapses unless a call renews it.")


class Task(View):
    """A task."""

    task_id: Id = Field(description=TASK)
    project: Slug = Field(description="The project it belongs to.")
    title: Title = Field(description="Its title.")
    state: TaskState = Field(description="Where it stands.")
    requester: Address = Field(description="Who asked for it.")
    assignee: AgentAddress = Field(description="The agent it was handed to.")
    attempt: LiveAttempt | None = Field(description="The live attempt, if somebody holds it.")
    attempts_used: int = Field(description="Attempts begun since it was last requested.")
    branch: Branch | None = Field(description="The branch to work on.")
    note: Text2000 | None = absent("What was said when its state last changed, such as why it was cancelled.")
    message_id: Id = Field(description="Its Task request in the room.")
    created_at: Time = Field(description="When it was handed off.")
    updated_at: Time = Field(description="When it last changed.")


class Evidence(Data):
    """One proof of what was done (R15)."""

    kind: EvidenceKind = Field(description="What kind of proof it is.")
    ref: Annotated[str, StringConstraints(min_length=1, max_length=500)] = Field(
        description="Where it is: commit hash, URL, relative path, command of a test run, or `<number> <unit>`."
    )
    criterion: Annotated[int, Field(ge=0, le=19)] | None = absent(
        "Which acceptance criterion it proves, counted from 0; may be left out when there is one."
    )
    note: Annotated[str, StringConstraints(max_length=500)] | None = absent(
        "What it shows; for a test run it starts with passed or failed."
    )


class Review(View):
    """What the requester's side said of a result."""

    verdict: Literal["accepted", "rejected"] = Field(description="Accepted or rejected.")
    by: Address = Field(description="Who reviewed it.")
    note: str | None = Field(description="The note, or the reason of a rejection.")
    at: Time = Field(description="When.")


class Result(View):
    """A returned result."""

    result_id: Id = Field(description="The result's id.")
    task_id: Id = Field(description=TASK)
    attempt_id: Id | None = absent("The attempt that returned it.")
    outcome: Outcome = Field(description="How it ended.")
    summary: Text8000 = Field(description="What was done.")
    evidence: list[Evidence] = Field(description="The proofs.")
    returned_at: Time = Field(description="When it was returned.")
    review: Review | None = Field(description="The review, once there is one.")


class Checkpoint(View):
    """Progress of an attempt."""

    checkpoint_id: Id = Field(description="The checkpoint's id.")
    task_id: Id = Field(description=TASK)
    summary: Text2000 = Field(description="What was done so far.")
    progress: int | None = absent("Percent done.")
    branch: Branch | None = absent("The branch worked on.")
    commit: CommitId | None = absent("The last commit.")
    files: Files | None = absent("The files touched.")
    next: str | None = absent("What comes next.")
    blocked_on: str | None = absent("What stands in the way.")
    at: Time = Field(description="When it was made.")


class HandoffContext(Data):
    """What the assignee gets besides the objective."""

    message_ids: list[Id] | None = absent("Messages of this room to copy into the packet.", max_length=20)
    files: Files | None = absent("Files to look at first.")
    branch: Branch | None = absent("The branch to work on.")


class PacketContext(View):
    """The context as it was at handoff."""

    messages: list[Message] = Field(description="The messages that were named.")
    files: list[File] = Field(description="The files that were named.")
    branch: Branch | None = Field(description="The branch that was named.")


class Packet(View):
    """What the assignee works from."""

    objective: Text8000 = Field(description="What to achieve.")
    acceptance: list[Criterion] = Field(description="The criteria, counted from 0: the definition of done.")
    evidence: list[list[EvidenceKind]] = Field(
        description="Per criterion the kinds of which one is enough; [] for any."
    )
    context: PacketContext = Field(description="What was attached.")


class WholeTask(Task):
    """A task shown whole: newest results and checkpoints first."""

    packet: Packet | None = absent("What the assignee works from.")
    checkpoints: list[Checkpoint] | None = absent("Its checkpoints, newest first.")
    results: list[Result] | None = absent("Its results, newest first.")


class Attempt(View):
    """The caller's hold on a task."""

    attempt_id: Id = Field(description="The attempt's id: name it in checkpoint and return_result.")
    task_id: Id = Field(description=TASK)
    kind: Literal["interactive", "run"] = Field(description="Taken by accept_task, or claimed by a runner.")
    agent_id: AgentAddress = Field(description="The agent that holds it.")
    claimed_at: Time = Field(description="When it was taken.")
    deadline: Time = Field(description="When it lapses unless a call renews it.")


class OpenedTask(View):
    """A new task and the Task request to store for it."""

    task: Task
    task_request: str
    """The body of the Task request."""


class HandedOff(View):
    """The output of handoff."""

    task: Task = Field(description="The task.")
    message: Message = Field(description="Its Task request in the room.")


class AssigneeFacts(Data):
    """What the directory and rooms know of a handoff, collected by the gateway at most 2 s before."""

    project_owner: Slug
    takes_tasks_from: TakesTasksFrom
    messages: list[Message]


class Handoff(Command[OpenedTask], service="tasks"):
    """Hand a task to an agent."""

    project: Slug = Field(description="The project, by its slug.")
    to: AgentAddress = Field(description="The agent to hand it to, by its address.")
    title: Title = Field(description="What it is, in one line.")
    objective: Text8000 = Field(description="What to achieve and why, in Markdown.")
    acceptance: list[Criterion] = Field(
        min_length=1, max_length=20, description="The criteria a result must meet: the definition of done."
    )
    evidence: list[Annotated[list[EvidenceKind], Field(max_length=9)]] | None = absent(
        "Per criterion, in the same order, the kinds of evidence of which one is enough; [] for any.", max_length=20
    )
    context: HandoffContext | None = absent("What the assignee gets besides the objective.")
    idempotency_key: IdempotencyKey | None = absent(KEY)
    facts: AssigneeFacts | None = internal(default=None)


class Inbox(View):
    """The output of check_inbox."""

    tasks: list[WholeTask] = Field(description="The tasks, newest first.")
    reviews: list[AwaitedReview] = Field(description="The newest 20 results that await the caller's review.")
    requests: list[dict[str, Any]] = Field(description="The newest 20 requests that await the caller.")
    next_cursor: str | None = Field(description="Pass it as cursor for the next page; null when nothing is left.")


class AwaitedReview(View):
    """A result that awaits a review."""

    task: Task = Field(description="The task it belongs to.")
    result: Result = Field(description="The result to accept or reject.")


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


class AcceptedTask(View):
    """The output of accept_task."""

    task: Task = Field(description="The task as it is now.")
    attempt: Attempt | None = Field(description="Your hold on it; null when you declined.")


class AcceptTask(Command[AcceptedTask], service="tasks"):
    """Take a requested task, or decline it."""

    task_id: Id = Field(description=TASK)
    note: Text2000 | None = absent("A word to the requester.")
    decline_reason: Text2000 | None = absent("Decline the task, and why.")
    idempotency_key: IdempotencyKey | None = absent(KEY)


class Directive(View):
    """Something that is wanted of the attempt."""

    kind: str = Field(description="What it is about.")


class MadeCheckpoint(View):
    """The output of checkpoint."""

    checkpoint: Checkpoint = Field(description="The checkpoint as stored.")
    task: Task = Field(description="The task as it is now.")
    directives: list[Directive] = Field(description="What is wanted of you now.")


class MakeCheckpoint(Command[MadeCheckpoint], service="tasks"):
    """Keep an attempt alive and tell how far it is."""

    task_id: Id = Field(description=TASK)
    attempt_id: Id = Field(description=ATTEMPT)
    summary: Text2000 = Field(description="What was done so far.")
    progress: Annotated[int, Field(ge=0, le=100)] | None = absent("Percent done.")
    branch: Branch | None = absent("The branch worked on.")
    commit: CommitId | None = absent("The last commit.")
    files: Files | None = absent("The files touched.")
    next: Text2000 | None = absent("What comes next.")
    blocked_on: Text2000 | None = absent("What stands in the way.")
    idempotency_key: IdempotencyKey | None = absent(KEY)


class ReturnedResult(View):
    """The output of return_result, accept_result and reject_result."""

    task: Task = Field(description="The task as it is now.")
    result: Result = Field(description="The result.")


class ReturnResult(Command[ReturnedResult], service="tasks"):
    """Return a result with its evidence."""

    task_id: Id = Field(description=TASK)
    attempt_id: Id = Field(description=ATTEMPT)
    outcome: Outcome = Field(description="done needs evidence for each criterion; declined gives the task back.")
    summary: Text8000 = Field(description="What was done and what was found, in Markdown.")
    evidence: Annotated[list[Evidence], Field(max_length=50)] = Field(
        default_factory=list, description="The proofs, at most 50."
    )
    idempotency_key: IdempotencyKey | None = absent(KEY)


class AcceptResult(Command[ReturnedResult], service="tasks"):
    """Accept a returned result: the task is done."""

    task_id: Id = Field(description=TASK)
    result_id: Id | None = absent("The result meant; the newest by default.")
    note: Text2000 | None = absent("A word to the assignee.")
    idempotency_key: IdempotencyKey | None = absent(KEY)


class RejectResult(Command[ReturnedResult], service="tasks"):
    """Reject a returned result: the task is requested again."""

    task_id: Id = Field(description=TASK)
    result_id: Id | None = absent("The result meant; the newest by default.")
    reason: Text2000 = Field(description="What is missing or wrong, for the next attempt.")
    idempotency_key: IdempotencyKey | None = absent(KEY)


class CancelledTask(View):
    """The output of cancel_task."""

    task: Task = Field(description="The task as it is now.")


class CancelTask(Command[CancelledTask], service="tasks"):
    """End a task that is not final, and its attempt with it."""

    task_id: Id = Field(description=TASK)
    reason: Text2000 = Field(description="Why, for the assignee.")
    idempotency_key: IdempotencyKey | None = absent(KEY)


class TaskRequested(Event, source="tasks"):
    """A task was handed off; rooms stores its Task request."""

    project: Slug
    message_id: Id
    task_id: Id
    requester: Address
    assignee: AgentAddress
    body: str


class AttemptStarted(Event, source="tasks"):
    """An agent took a task."""

    project: Slug
    task_id: Id
    attempt_id: Id
    agent_id: AgentAddress
    version: int
    """Rises with each change of the task; a consumer ignores a lower one (R42)."""


class AttemptEnded(Event, source="tasks"):
    """An agent no longer holds a task."""

    project: Slug
    task_id: Id
    attempt_id: Id
    agent_id: AgentAddress
    version: int


Inbox.model_rebuild()
