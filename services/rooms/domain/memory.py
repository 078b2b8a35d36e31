"""Memory: approved facts of a project, and what they were before (R17)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime

from sqlmodel import Field

from libs.contracts.errors import NotFound
from libs.contracts.rooms import EntryHistory, MemoryVersion, WriteMemory
from libs.contracts.rooms import MemoryEntry as MemoryEntryView
from libs.storage.columns import JsonValue, UtcDateTime
from services.rooms.domain.table import RoomsTable


class Remembered(RoomsTable):
    """What was held to be true, on whose word and why."""

    value: str
    provenance: str
    updated_by: str
    updated_at: datetime = Field(sa_type=UtcDateTime)
    memory_keys: list[str] = Field(default_factory=list, sa_type=JsonValue)
    """The entries that it rests on."""
    proposal_id: str | None = None
    """The proposal that it comes from."""


class MemoryEntry(Remembered, table=True):
    """What a project holds to be true under a key."""

    project: str = Field(primary_key=True, foreign_key="project.slug")
    key: str = Field(primary_key=True)

    @classmethod
    def instructed(cls, command: WriteMemory, person: str, now: datetime) -> MemoryEntry:
        """The entry as a person writes it."""
        return cls(**command.model_dump(), provenance="owner_instruction", updated_by=person, updated_at=now)

    def end(self, person: str, now: datetime) -> FormerValue:
        """What is kept of it when it is replaced or deleted."""
        return FormerValue(**self.model_dump(), ended_by=person, ended_at=now)

    def view(self) -> MemoryEntryView:
        return MemoryEntryView.model_validate(self, from_attributes=True)

    def version(self) -> MemoryVersion:
        """The entry as the newest of its history."""
        return MemoryVersion(**self.model_dump(), ended_by=None, ended_at=None)


class FormerValue(Remembered, table=True):
    """A value that an entry had until another took its place or it was deleted."""

    id: int | None = Field(default=None, primary_key=True)
    project: str = Field(foreign_key="project.slug", index=True)
    key: str
    ended_by: str
    ended_at: datetime = Field(sa_type=UtcDateTime)

    def view(self) -> MemoryEntryView:
        """The entry as it was."""
        return MemoryEntryView.model_validate(self, from_attributes=True)

    def version(self) -> MemoryVersion:
        return MemoryVersion.model_validate(self, from_attributes=True)


def histories(values: Iterable[MemoryEntry | FormerValue]) -> list[EntryHistory]:
    """The histories that values make up, by key; values come newest first."""
    versions: dict[str, list[MemoryVersion]] = {}
    for value in values:
        versions.setdefault(value.key, []).append(value.version())
    return [EntryHistory(key=key, versions=versions[key]) for key in sorted(versions)]


def check_approved(keys: Collection[str] | None, approved: Collection[str]) -> None:
    """Refuse to rest on entries that memory does not hold now."""
    for index, key in enumerate(keys or ()):
        if key not in approved:
            raise NotFound(
                "Rest on entries that memory holds now, by the keys in get_project_context: this one is missing or "
                "superseded.",
                field=f"memory_keys[{index}]",
            )


def nothing_remembered() -> NotFound:
    """The refusal for keys that memory never held."""
    return NotFound("Name an entry of the project's memory by its key.", field="key")
