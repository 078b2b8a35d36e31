"""Memory: approved facts of a project, and what they were before (R17)."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field

from libs.contracts.rooms import MemoryEntry as MemoryEntryView
from libs.contracts.rooms import WriteMemory
from libs.storage.columns import UtcDateTime
from services.rooms.domain.table import RoomsTable


class MemoryEntry(RoomsTable, table=True):
    """What a project holds to be true under a key."""

    project: str = Field(primary_key=True, foreign_key="project.slug")
    key: str = Field(primary_key=True)
    value: str
    provenance: str
    updated_by: str
    updated_at: datetime = Field(sa_type=UtcDateTime)

    @classmethod
    def written(cls, command: WriteMemory, person: str, now: datetime) -> MemoryEntry:
        """The entry as a person writes it."""
        return cls(**command.model_dump(), provenance="owner_instruction", updated_by=person, updated_at=now)

    def rewrite(self, value: str, person: str, now: datetime) -> FormerValue:
        """Put another value in the place of the one it has, which is kept."""
        former = FormerValue(**self.model_dump(), replaced_by=person, replaced_at=now)
        self.value, self.provenance, self.updated_by, self.updated_at = value, "owner_instruction", person, now
        return former

    def view(self) -> MemoryEntryView:
        return MemoryEntryView.model_validate(self, from_attributes=True)


class FormerValue(RoomsTable, table=True):
    """A value that an entry had until another took its place."""

    id: int | None = Field(default=None, primary_key=True)
    project: str = Field(foreign_key="project.slug")
    key: str
    value: str
    provenance: str
    updated_by: str
    updated_at: datetime = Field(sa_type=UtcDateTime)
    replaced_by: str
    replaced_at: datetime = Field(sa_type=UtcDateTime)
