"""Packets: what an assignee works from, kept as it was at handoff."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlmodel import Field

from libs.contracts import tasks as views
from libs.contracts.rooms import MemoryEntry, Message
from libs.storage import JsonValue
from services.tasks.domain.evidence import check_forms, require_proof
from services.tasks.domain.table import TasksTable


class Packet(TasksTable, table=True):
    """A task's objective, criteria and context; it never changes."""

    __tablename__ = "packets"

    task_id: str = Field(primary_key=True, foreign_key="tasks.task_id")
    objective: str
    acceptance: list[str] = Field(sa_type=JsonValue)
    evidence: list[list[views.EvidenceKind]] = Field(sa_type=JsonValue)
    """Per criterion the kinds of which one is enough; none named: any."""
    memory: list[dict[str, Any]] = Field(default_factory=list, sa_type=JsonValue)
    messages: list[dict[str, Any]] = Field(sa_type=JsonValue)
    files: list[str] = Field(sa_type=JsonValue)
    branch: str | None = None

    def check(self, evidence: Sequence[views.Evidence], outcome: views.Outcome) -> None:
        """Refuse evidence without form, and a done result that leaves a criterion unproved (R15)."""
        check_forms(evidence, len(self.acceptance))
        if outcome == "done":
            require_proof(evidence, self.evidence)

    def view(self) -> views.Packet:
        """The packet as the assignee gets it."""
        context = views.PacketContext(
            memory=[MemoryEntry.model_validate(entry) for entry in self.memory],
            messages=[Message.model_validate(message) for message in self.messages],
            files=self.files,
            branch=self.branch,
        )
        return views.Packet.model_validate(
            {
                "objective": self.objective,
                "acceptance": self.acceptance,
                "evidence": self.evidence,
                "context": context,
            }
        )
