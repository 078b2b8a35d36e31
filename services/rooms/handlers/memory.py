"""Approved memory."""

from __future__ import annotations

from libs.bus import Work, handles
from libs.contracts.caller import Caller
from libs.contracts.rooms import WriteMemory, WrittenMemory
from services.rooms.domain import MemoryEntry
from services.rooms.store.memory import find_entry, keep
from services.rooms.store.projects import lock_roster


@handles(WriteMemory)
async def write_memory(command: WriteMemory, caller: Caller, work: Work) -> WrittenMemory:
    """Write what a person of the project approves, and tell its agents when that is news (R17)."""
    roster = await lock_roster(work, command.project)
    roster.refuse_all_but_persons(caller)
    entry = await find_entry(work, command.project, command.key)
    if entry is not None and entry.value == command.value:
        return WrittenMemory(entry=entry.view())
    if entry is None:
        entry = MemoryEntry.written(command, caller.subject, work.now)
        keep(work, entry)
    else:
        keep(work, entry.rewrite(command.value, caller.subject, work.now))
    view = entry.view()
    for agent in roster.agents:
        work.deliver(agent, "memory_changed", command.project, {"entry": view.wire()})
    return WrittenMemory(entry=view)
