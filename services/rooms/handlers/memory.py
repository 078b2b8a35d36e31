"""Approved memory: written, deleted, shown with its history (R17)."""

from __future__ import annotations

from libs.bus import Work, handles
from libs.contracts.caller import Caller
from libs.contracts.rooms import (
    DeletedMemory,
    DeleteMemory,
    EntryHistory,
    ExportedMemory,
    ExportMemory,
    MemoryHistory,
    WriteMemory,
    WrittenMemory,
)
from services.rooms.domain import MemoryEntry, histories, nothing_remembered
from services.rooms.handlers.entries import tell_of_memory
from services.rooms.store.memory import delete, find_entry, former_values, keep, list_entries, replace
from services.rooms.store.projects import lock_roster, read_roster


@handles(WriteMemory)
async def write_memory(command: WriteMemory, caller: Caller, work: Work) -> WrittenMemory:
    """Write what a person of the project instructs."""
    roster = await lock_roster(work, command.project)
    roster.refuse_all_but_persons(caller)
    entry = await remember(MemoryEntry.instructed(command, caller.subject, work.now), roster.agents, work)
    return WrittenMemory(entry=entry.view())


async def remember(new: MemoryEntry, agents: list[str], work: Work) -> MemoryEntry:
    """Put an entry into memory, keep what it replaces, and tell the agents when that is news."""
    former = await find_entry(work, new.project, new.key)
    if former is not None and former.value == new.value:
        return former
    if former is not None:
        keep(work, former.end(new.updated_by, work.now))
    entry = await replace(work, new)
    tell_of_memory(entry, agents, work)
    return entry


@handles(DeleteMemory)
async def delete_memory(command: DeleteMemory, caller: Caller, work: Work) -> DeletedMemory:
    """Take an entry out of memory; one that was taken out before stays as it was."""
    roster = await lock_roster(work, command.project)
    roster.refuse_all_but_persons(caller)
    entry = await find_entry(work, command.project, command.key)
    if entry is None:
        former = await former_values(work, command.project, command.key)
        if not former:
            raise nothing_remembered()
        return DeletedMemory(entry=former[0].view())
    keep(work, entry.end(caller.subject, work.now))
    await delete(work, entry)
    tell_of_memory(entry, roster.agents, work, removed=True)
    return DeletedMemory(entry=entry.view())


@handles(MemoryHistory)
async def show_history(query: MemoryHistory, caller: Caller, work: Work) -> EntryHistory:
    """Show a member what an entry is and was."""
    (await read_roster(work, query.project)).refuse_outsiders(caller)
    entry = await find_entry(work, query.project, query.key)
    former = await former_values(work, query.project, query.key)
    shown = histories([entry, *former] if entry else former)
    if not shown:
        raise nothing_remembered()
    return shown[0]


@handles(ExportMemory)
async def export_memory(query: ExportMemory, caller: Caller, work: Work) -> ExportedMemory:
    """Hand a member all that the project remembers or ever did."""
    roster = await read_roster(work, query.project)
    roster.refuse_outsiders(caller)
    entries, former = await list_entries(work, query.project), await former_values(work, query.project)
    return ExportedMemory(
        project=query.project,
        name=roster.project.name,
        exported_at=work.now,
        entries=histories([*entries, *former]),
    )
