"""Requests: what an agent asks of the requester of its task, or of its owner, and their answers."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from libs.contracts.base import Command, Query, View, absent
from libs.contracts.tasks.fields import ATTEMPT, KEY, TASK, Text2000
from libs.contracts.types import Address, AgentAddress, Id, IdempotencyKey, Slug, Time

RequestKind = Literal["clarification", "capability", "step"]
RequestStatus = Literal["pending", "approved", "denied", "done", "answered", "closed"]
RequestDecision = Literal["approve", "deny", "done"]
Text1000 = Annotated[str, StringConstraints(min_length=1, max_length=1000)]
Option = Annotated[str, StringConstraints(min_length=1, max_length=100)]
Capability = Annotated[str, StringConstraints(min_length=1, max_length=80)]
Step = Annotated[str, StringConstraints(min_length=1, max_length=500)]
Seconds = Annotated[int, Field(ge=1, le=30 * 86400)]
MAX_OPTIONS = 8
REQUEST = "The request's id."
ABOUT_TASK = "Your task that it is needed for; with it name your attempt_id. A run's own by itself."


class Request(View):
    """What an agent asked, and what was said to it."""

    request_id: Id = Field(description=REQUEST)
    kind: RequestKind = Field(description="clarification: of the task's requester; capability, step: of the owner.")
    task_id: Id | None = Field(description="The task it belongs to, if any.")
    project: Slug = Field(description="The project it belongs to.")
    asked_by: AgentAddress = Field(description="The agent that asked.")
    question: Text2000 | None = absent("A clarification's question.")
    options: list[Option] | None = absent("Answers that the agent offers.", max_length=MAX_OPTIONS)
    capability: Capability | None = absent("The capability that the agent wants.")
    reason: Text1000 | None = absent("What it wants the capability for.")
    for_seconds: Seconds | None = absent("How long it wants the capability.")
    step: Step | None = absent("What a person must do.")
    why: Text1000 | None = absent("Why the step is needed.")
    blocks: bool | None = absent("Whether the task waits for the step.")
    status: RequestStatus = Field(
        description="pending; approved or denied; done (a step); answered; closed: its task ended before."
    )
    answer: Text2000 | None = Field(description="What was said to it: the answer, a note, or why it was denied.")
    decided_by: Address | None = Field(description="Who decided it.")
    expires_at: Time | None = Field(description="When an approved capability ends.")
    at: Time = Field(description="When it was asked.")


class OpenedRequest(View):
    """The output of the tools that ask."""

    request: Request = Field(description="The request as stored.")


class DecidedRequest(View):
    """A request with what was said to it."""

    request: Request = Field(description="The request as it is now.")


class RequestClarification(Command[OpenedRequest], service="tasks"):
    """Ask the requester of a held task; the task waits for the answer (R7)."""

    task_id: Id = Field(description=TASK)
    attempt_id: Id | None = absent(ATTEMPT)
    question: Text2000 = Field(description="What you must know to go on.")
    options: list[Option] | None = absent("Answers to choose from; another may be given.", max_length=MAX_OPTIONS)
    idempotency_key: IdempotencyKey | None = absent(KEY)


class AnswerClarification(Command[DecidedRequest], service="tasks"):
    """Answer for the requester's side; when nothing else is awaited the task goes on (R7)."""

    request_id: Id = Field(description="The clarification to answer, as request_opened or check_inbox shows it.")
    answer: Text2000 = Field(description="The answer.")
    idempotency_key: IdempotencyKey | None = absent(KEY)


class RequestCapability(Command[OpenedRequest], service="tasks"):
    """Ask the agent's owner to allow something."""

    project: Slug = Field(description="The project that it is needed in, by its slug.")
    task_id: Id | None = absent(ABOUT_TASK)
    attempt_id: Id | None = absent(ATTEMPT)
    capability: Capability = Field(description="What you want to be allowed, such as network:pypi.")
    reason: Text1000 = Field(description="What you need it for.")
    for_seconds: Seconds | None = absent("How long you need it; your owner has the last word.")
    idempotency_key: IdempotencyKey | None = absent(KEY)


class RequestStep(Command[OpenedRequest], service="tasks"):
    """Ask the agent's owner to do something; with `blocks` the task waits for it (R7)."""

    project: Slug = Field(description="The project that it is needed in, by its slug.")
    task_id: Id | None = absent(ABOUT_TASK)
    attempt_id: Id | None = absent(ATTEMPT)
    step: Step = Field(description="What a person must do.")
    why: Text1000 | None = absent("Why it is needed.")
    blocks: bool = Field(default=False, description="Whether your task must wait for it.")
    idempotency_key: IdempotencyKey | None = absent(KEY)


class DecideRequest(Command[DecidedRequest], service="tasks"):
    """Decide as the asking agent's owner: approve or deny a capability; say that a step is done, or deny it.

    `InvalidInput` where the decision does not suit the request, a denial has no reason, or `expires_at` is not in
    the future; `Conflict` where it was decided otherwise or is closed. Repeating the decision changes nothing.
    """

    request_id: Id
    decision: RequestDecision
    reason: Text2000 | None = None
    """Required to deny; else a note."""
    expires_at: Time | None = None
    """When an approved capability ends; by default after the time that was asked for, or a day."""


class Requests(View):
    """Requests, newest first."""

    requests: list[Request]
    last: Id | None
    """What the next page starts after; None when nothing is left."""


class ListRequests(Query[Requests], service="tasks"):
    """What the caller must answer: an agent the clarifications asked of it, a person also what its agents asked."""

    project: Slug | None = None
    statuses: list[RequestStatus] | None = None
    """None: those that are pending."""
    after: Id | None = None
    limit: int = 20


class ApprovedCapability(View):
    """What an agent may do until it ends."""

    agent_id: AgentAddress
    project: Slug
    capability: Capability
    expires_at: Time


class Capabilities(View):
    """Approved capabilities that have not ended, in the order in which they end."""

    capabilities: list[ApprovedCapability]


class ApprovedCapabilities(Query[Capabilities], service="tasks"):
    """Those of the agents that belong to the calling person, or to the owner of the calling agent."""

    agent_ids: list[AgentAddress]
