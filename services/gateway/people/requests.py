"""What agents ask of persons: requests to their owners, and questions about the tasks that persons handed off."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from libs.contracts.base import Data, absent
from libs.contracts.tasks import (
    AnswerClarification,
    DecidedRequest,
    DecideRequest,
    ListRequests,
    RequestDecision,
    Requests,
    RequestStatus,
    Text2000,
)
from libs.contracts.types import Id, Slug, Time
from services.gateway.people.endpoint import endpoint
from services.gateway.session import Session

RequestsPerPage = Annotated[int, Field(ge=1, le=50)]


class AskedRequests(Data):
    """Which requests are wanted."""

    project: Slug | None = absent("Only those of this project.")
    statuses: Annotated[list[RequestStatus], Field(min_length=1)] | None = absent("Only these; pending by default.")
    after: Id | None = absent("The `last` of the former page.")
    limit: RequestsPerPage = 20


class RequestVerdict(Data):
    """What an owner says to a request."""

    request_id: Id
    decision: RequestDecision = Field(description="approve or deny a capability; done or deny a step.")
    reason: Text2000 | None = absent("Why, for the agent: required to deny.")
    expires_at: Time | None = absent("When an approved capability ends; by default after the time asked for, or a day.")


@endpoint("GET", "/requests", AskedRequests)
async def list_requests(asked: AskedRequests, session: Session) -> Requests:
    """What the caller must answer: the requests of the caller's agents and the questions of assignees, newest first."""
    return await session.ask(ListRequests(**asked.model_dump(exclude_none=True)))


@endpoint("POST", "/requests/{request_id}/decision", RequestVerdict)
async def decide_request(said: RequestVerdict, session: Session) -> DecidedRequest:
    """Decide a request of an agent of the caller; the first decision stands."""
    return await session.ask(DecideRequest(**said.model_dump()))


@endpoint("POST", "/requests/{request_id}/answer", AnswerClarification)
async def answer_clarification(command: AnswerClarification, session: Session) -> DecidedRequest:
    """Answer a question about a task that the caller, or an agent of the caller, handed off (R7)."""
    return await session.ask(command)
