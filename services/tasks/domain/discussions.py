"""Discussions: a message that a run answers for a mentioned agent (R14)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import Index, String, UniqueConstraint
from sqlmodel import Field

from libs.contracts.errors import Conflict, IdempotencyConflict, InvalidInput, NotFound, RoomNotLinked, StaleAttempt
from libs.contracts.policy import Policy
from libs.contracts.tasks import ClaimDiscussion, ClaimedDiscussion, DeviceFacts
from libs.storage import UtcDateTime, new_id
from services.tasks.domain.attempts import LIVE
from services.tasks.domain.claims import OTHER_CLAIM
from services.tasks.domain.table import TasksTable

DiscussionEnding = Literal["answered", "expired", "revoked"]
DISCUSSION_ENDINGS: dict[str, str] = {
    "answered": "This run ended with its reply; stop, there is nothing left to do.",
    "expired": "This run ended because its time was up; stop working on the message.",
    "revoked": "This run ended when its owner took its device or agent away; stop working on the message.",
}


class Discussion(TasksTable, table=True):
    """A device's claim of a message; a message has at most one live."""

    __tablename__ = "discussions"
    __table_args__ = (
        Index("one_live_discussion", "message_id", unique=True, sqlite_where=LIVE, postgresql_where=LIVE),
        UniqueConstraint("device_id", "idempotency_key"),
    )

    discussion_id: str = Field(default_factory=lambda: new_id("dis"), primary_key=True)
    message_id: str = Field(index=True)
    project: str
    agent_id: str = Field(index=True)
    device_id: str
    idempotency_key: str
    token_sha256: str = Field(unique=True)
    claimed_at: datetime = Field(sa_type=UtcDateTime)
    expires_at: datetime = Field(sa_type=UtcDateTime)
    ended_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    ending: DiscussionEnding | None = Field(default=None, sa_type=String)

    def end(self, ending: DiscussionEnding, now: datetime) -> None:
        """Let nothing more happen under it; an end that it has already stands."""
        if self.ended_at is None:
            self.ending, self.ended_at = ending, now

    def why_ended(self, now: datetime) -> str | None:
        """What calls under it are refused with; None while it is live."""
        ending = "expired" if self.ending is None and self.expires_at <= now else self.ending
        return None if ending is None else DISCUSSION_ENDINGS[ending]

    def repeat(self, said: ClaimDiscussion, device: DeviceFacts, now: datetime) -> None:
        """Give a claim that is repeated another token; the former one is dead with it."""
        _linked(said, device, [self.agent_id])
        same = (self.project, self.message_id) == (said.project, said.message_id)
        if not same or said.agent_id not in (None, self.agent_id):
            raise IdempotencyConflict(OTHER_CLAIM, field="idempotency_key")
        why = self.why_ended(now)
        if why is not None:
            raise StaleAttempt(why)
        self.token_sha256 = said.token_sha256

    def view(self) -> ClaimedDiscussion:
        """The claim as the gateway shows it, with the token that it made."""
        return ClaimedDiscussion.model_validate(self, from_attributes=True)


def claim_discussion(
    said: ClaimDiscussion, device: DeviceFacts, former: Sequence[Discussion], now: datetime, policy: Policy
) -> Discussion:
    """The device's new claim of a message, of which `former` are all that there are."""
    agent_id = _choose_agent(said, device)
    for discussion in former:
        _refuse_second(discussion, agent_id, now)
    return Discussion(
        message_id=said.message_id,
        project=said.project,
        agent_id=agent_id,
        device_id=device.device_id,
        idempotency_key=said.idempotency_key,
        token_sha256=said.token_sha256,
        claimed_at=now,
        expires_at=now + timedelta(seconds=policy.discussion_seconds),
    )


def _choose_agent(said: ClaimDiscussion, device: DeviceFacts) -> str:
    linked = _linked(said, device, said.mentioned)
    if said.agent_id is None and len(linked) > 1:
        raise InvalidInput("Say which of the mentioned agents is to answer.", field="agent_id")
    if said.agent_id is not None and said.agent_id not in linked:
        raise InvalidInput("Name an agent that the message mentions and this device is linked to.", field="agent_id")
    return said.agent_id or linked[0]


def _linked(said: ClaimDiscussion, device: DeviceFacts, agents: Sequence[str]) -> list[str]:
    """Those of the agents that the device may answer for (R12)."""
    if said.project not in device.projects:
        raise RoomNotLinked("Ask this device's owner to link it to the project.", field="project")
    linked = [agent for agent in dict.fromkeys(agents) if agent in device.agents]
    if not linked:
        raise NotFound("Name a message that mentions an agent linked to this device.", field="message_id")
    return linked


def _refuse_second(former: Discussion, agent_id: str, now: datetime) -> None:
    if former.why_ended(now) is None:
        raise Conflict(
            f"Leave this message to {former.agent_id}, whose run answers it now.", details={"holder": former.agent_id}
        )
    if former.ending == "answered" and former.agent_id == agent_id:
        raise Conflict("Leave this message: its agent has answered it.")
