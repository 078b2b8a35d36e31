"""Memory entries."""

from __future__ import annotations

from sqlmodel import col, select

from libs.bus import Work
from services.rooms.domain import FormerValue, MemoryEntry


async def find_entry(work: Work, project: str, key: str) -> MemoryEntry | None:
    """An entry by its key."""
    return await work.session.get(MemoryEntry, (project, key))


async def list_entries(work: Work, project: str) -> list[MemoryEntry]:
    """A project's entries, newest first."""
    query = select(MemoryEntry).where(MemoryEntry.project == project)
    return list(await work.session.exec(query.order_by(col(MemoryEntry.updated_at).desc(), col(MemoryEntry.key))))


def keep(work: Work, row: MemoryEntry | FormerValue) -> None:
    """Insert an entry, or a value that it had."""
    work.session.add(row)
