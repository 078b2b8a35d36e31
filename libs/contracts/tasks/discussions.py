"""Discussions: a mention that a runner lets an agent answer (R14)."""

from __future__ import annotations

from pydantic import Field

from libs.contracts.base import Command, View, absent, internal
from libs.contracts.tasks.claims import DeviceFacts, ExecutionCredential
from libs.contracts.types import AgentAddress, Id, IdempotencyKey, Slug, Time


class ClaimedDiscussion(View):
    """A claimed discussion without its secret."""

    discussion_id: Id
    message_id: Id
    project: Slug
    agent_id: AgentAddress
    claimed_at: Time
    expires_at: Time


class Discussion(View):
    """A claimed discussion as its runner sees it."""

    discussion_id: Id = Field(description="The discussion's id.")
    message_id: Id = Field(description="The message to answer.")
    agent_id: AgentAddress = Field(description="The linked agent that answers.")
    claimed_at: Time = Field(description="When it was claimed; a replay shows the first time.")


class DiscussionClaim(View):
    """The output of claim_discussion."""

    discussion: Discussion = Field(description="What was claimed.")
    execution_credential: ExecutionCredential = Field(description="What the run calls the hub with.")


class ClaimDiscussion(Command[ClaimedDiscussion], service="tasks"):
    """Make a device's run the one that answers a message. The same key replays the claim, as with `ClaimTask`."""

    keyed = False

    project: Slug = Field(description="The project, by its slug.")
    message_id: Id = Field(description="The message to answer; it mentions a linked agent and is no Task request.")
    agent_id: AgentAddress | None = absent("The linked agent that answers; may be left out when only one is mentioned.")
    idempotency_key: IdempotencyKey = Field(description="The same key replays the claim with a fresh credential.")
    mentioned: list[str] = internal(default_factory=list)
    """The message's mentions; empty when it may not be answered."""
    token_sha256: str = internal(default="")
    device: DeviceFacts | None = internal(default=None)


class EndedDiscussion(View):
    """A discussion that is over."""

    discussion_id: Id


class EndDiscussion(Command[EndedDiscussion], service="tasks"):
    """End a discussion with its agent's first reply; again changes nothing."""

    discussion_id: Id
