"""Memory entries and what they were, and proposals."""

from __future__ import annotations

from collections.abc import Collection

from sqlmodel import col, select

from libs.bus import Work
from libs.contracts.errors import NotFound
from libs.contracts.rooms import ListProposals
from services.rooms.domain import FormerValue, MemoryEntry, Proposal


async def find_entry(work: Work, project: str, key: str) -> MemoryEntry | None:
    """An entry by its key."""
    return await work.session.get(MemoryEntry, (project, key))


async def find_entries(work: Work, project: str, keys: Collection[str]) -> dict[str, MemoryEntry]:
    """Those of some entries that a project has, by key."""
    query = select(MemoryEntry).where(MemoryEntry.project == project, col(MemoryEntry.key).in_(keys))
    return {entry.key: entry for entry in await work.session.exec(query)}


async def list_entries(work: Work, project: str) -> list[MemoryEntry]:
    """A project's entries, newest first."""
    query = select(MemoryEntry).where(MemoryEntry.project == project)
    return list(await work.session.exec(query.order_by(col(MemoryEntry.updated_at).desc(), col(MemoryEntry.key))))


async def keys_among(work: Work, project: str, keys: Collection[str]) -> set[str]:
    """Those of some keys under which a project remembers something."""
    query = select(MemoryEntry.key).where(MemoryEntry.project == project, col(MemoryEntry.key).in_(keys))
    return set(await work.session.exec(query))


async def former_values(work: Work, project: str, key: str | None = None) -> list[FormerValue]:
    """What a project remembered before, all of it or under one key, newest first."""
    query = select(FormerValue).where(FormerValue.project == project)
    if key is not None:
        query = query.where(FormerValue.key == key)
    return list(await work.session.exec(query.order_by(col(FormerValue.id).desc())))


async def replace(work: Work, entry: MemoryEntry) -> MemoryEntry:
    """Put an entry in the place of the one with its key, if there is one."""
    return await work.session.merge(entry)


async def delete(work: Work, entry: MemoryEntry) -> None:
    """Let memory hold an entry no longer."""
    await work.session.delete(entry)


def keep(work: Work, *rows: FormerValue | Proposal) -> None:
    """Insert values that entries had, or proposals."""
    work.session.add_all(rows)


async def has_proposals(work: Work, result_id: str) -> bool:
    """Whether a result's proposals are kept."""
    query = select(Proposal.proposal_id).where(Proposal.result_id == result_id).limit(1)
    return (await work.session.exec(query)).first() is not None


async def find_proposal(work: Work, project: str, proposal_id: str) -> Proposal:
    """A proposal of the project, by its id."""
    found = await work.session.get(Proposal, proposal_id)
    if found is None or found.project != project:
        raise NotFound("Name a proposal of this project, from the list of proposals.", field="proposal_id")
    return found


async def list_proposals(work: Work, query: ListProposals, limit: int) -> list[Proposal]:
    """The first proposals that the query asks for, oldest first."""
    wanted = select(Proposal).where(Proposal.project == query.project, Proposal.status == query.status)
    if query.after is not None:
        wanted = wanted.where(col(Proposal.proposal_id) > query.after)
    return list(await work.session.exec(wanted.order_by(Proposal.proposal_id).limit(limit)))
