"""Proposals: what agents would have their project remember, and what people make of it (R17)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import cast

from sqlalchemy import UniqueConstraint
from sqlmodel import Field

from libs.contracts.errors import Conflict, InvalidInput
from libs.contracts.rooms import DecideProposal, ProposalStatus
from libs.contracts.rooms import Proposal as ProposalView
from libs.contracts.tasks import MemoryProposed
from libs.contracts.types import Provenance
from libs.storage.columns import UtcDateTime
from libs.storage.ids import new_id
from services.rooms.domain.memory import MemoryEntry
from services.rooms.domain.table import RoomsTable

STATUSES: dict[str, ProposalStatus] = {"approve": "approved", "reject": "rejected"}


class Proposal(RoomsTable, table=True):
    """A fact that came with a result; one decision is made on it."""

    __table_args__ = (UniqueConstraint("result_id", "position"),)

    proposal_id: str = Field(primary_key=True)
    project: str = Field(foreign_key="project.slug", index=True)
    key: str
    value: str
    proposed_by: str
    task_id: str
    result_id: str
    position: int
    """Which of its result's proposals it is."""
    at: datetime = Field(sa_type=UtcDateTime)
    status: str = "pending"
    approved_value: str | None = None
    decided_by: str | None = None
    decided_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    reason: str | None = None

    @classmethod
    def all_of(cls, event: MemoryProposed, now: datetime) -> Iterator[Proposal]:
        """What a result proposes."""
        for position, said in enumerate(event.proposals):
            yield cls(
                proposal_id=new_id("prop"),
                project=event.project,
                key=said.key,
                value=said.value,
                proposed_by=event.agent_id,
                task_id=event.task_id,
                result_id=event.result_id,
                position=position,
                at=now,
            )

    def repeats(self, command: DecideProposal, person: str) -> bool:
        """Whether that very decision stands already; refuses another one than stands."""
        if self.status == "pending":
            return False
        made = (self.decided_by, self.status, self.approved_value)
        if made != (person, STATUSES[command.decision], self._approved_by(command)):
            raise Conflict(
                "Read the proposal again: it has been decided, and the first decision stands.",
                details={"holder": self.decided_by},
            )
        return True

    def decide(self, command: DecideProposal, person: str, now: datetime) -> None:
        """Take a person's decision."""
        self.status, self.approved_value = STATUSES[command.decision], self._approved_by(command)
        self.decided_by, self.decided_at, self.reason = person, now, command.reason

    def _approved_by(self, command: DecideProposal) -> str | None:
        if command.decision == "reject":
            return None
        return self.value if command.value is None else command.value

    def entry(self, memory_keys: list[str]) -> MemoryEntry:
        """The entry that it is approved as; one that rests on approved entries says so."""
        provenance: Provenance = "from_approved_context" if memory_keys else "owner_approved"
        return MemoryEntry(
            project=self.project,
            key=self.key,
            value=cast(str, self.approved_value),
            provenance=provenance,
            updated_by=cast(str, self.decided_by),
            updated_at=cast(datetime, self.decided_at),
            memory_keys=memory_keys,
            proposal_id=self.proposal_id,
        )

    def view(self) -> ProposalView:
        return ProposalView.model_validate(self, from_attributes=True)


def check_decision(command: DecideProposal) -> None:
    """Refuse what goes with an approval only."""
    for field in ("value", "memory_keys"):
        if command.decision == "reject" and getattr(command, field) is not None:
            raise InvalidInput("Leave it out when you reject: it says what to remember.", field=field)
