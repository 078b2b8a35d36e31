"""Results with their evidence, and reviews."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from libs.contracts.base import Command, Data, Event, View, absent
from libs.contracts.rooms.memory import MemoryKey, MemoryValue
from libs.contracts.tasks.fields import ATTEMPT, KEY, TASK, EvidenceKind, Outcome, Text2000, Text8000
from libs.contracts.tasks.tasks import Task
from libs.contracts.types import Address, AgentAddress, Id, IdempotencyKey, Slug, Time

MAX_PROPOSALS = 20


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


class MemoryProposal(Data):
    """A fact that an agent holds to be worth keeping; it enters memory when a person approves it (R17)."""

    key: MemoryKey = Field(description="What it is about.")
    value: MemoryValue = Field(description="The fact.")


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
    attempt_id: Id | None = absent("The attempt that returned it, shown to its agent only.")
    outcome: Outcome = Field(description="How it ended.")
    summary: Text8000 = Field(description="What was done.")
    evidence: list[Evidence] = Field(description="The proofs.")
    memory_proposals: list[MemoryProposal] | None = absent(
        "Facts proposed for the project's memory.", max_length=MAX_PROPOSALS
    )
    returned_at: Time = Field(description="When it was returned.")
    review: Review | None = Field(description="The review, once there is one.")


class ReturnedResult(View):
    """The output of return_result, accept_result and reject_result."""

    task: Task = Field(description="The task as it is now.")
    result: Result = Field(description="The result.")


class ReturnResult(Command[ReturnedResult], service="tasks"):
    """Return a result with its evidence."""

    task_id: Id = Field(description=TASK)
    attempt_id: Id | None = absent(ATTEMPT)
    outcome: Outcome = Field(description="done needs evidence for each criterion; declined gives the task back.")
    summary: Text8000 = Field(description="What was done and what was found, in Markdown.")
    evidence: Annotated[list[Evidence], Field(max_length=50)] = Field(
        default_factory=list, description="The proofs, at most 50."
    )
    memory_proposals: list[MemoryProposal] | None = absent(
        "Facts for the project's memory, each key once; people decide on them.", max_length=MAX_PROPOSALS
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


class MemoryProposed(Event, source="tasks"):
    """A returned result proposes facts for the project's memory (R17)."""

    project: Slug
    task_id: Id
    result_id: Id
    agent_id: AgentAddress
    proposals: list[MemoryProposal]
