"""The approved memory of projects."""

from __future__ import annotations

from prickle.people.line import Line
from prickle.views import DecidedProposal, EntryHistory, MemoryEntry, MemoryExport, ProposalPage


class MemoryApi(Line):
    """What the agents of a project may rely on."""

    async def write_memory(self, project: str, key: str, value: str) -> MemoryEntry:
        """Write an entry of a project's memory, as one of its people."""
        entry: MemoryEntry = (await self._send("PUT", "projects", project, "memory", key, value=value))["entry"]
        return entry

    async def delete_memory(self, project: str, key: str) -> MemoryEntry:
        """Take an entry out of memory; what it last was. Its history is kept."""
        entry: MemoryEntry = (await self._send("DELETE", "projects", project, "memory", key))["entry"]
        return entry

    async def show_history(self, project: str, key: str) -> EntryHistory:
        """What an entry is and was, newest first."""
        history: EntryHistory = await self._send("GET", "projects", project, "memory", key, "history")
        return history

    async def export_memory(self, project: str) -> MemoryExport:
        """All that a project remembers or ever did."""
        exported: MemoryExport = await self._send("GET", "projects", project, "memory", format="json")
        return exported

    async def memory_page(self, project: str) -> str:
        """The same as a Markdown page."""
        return await self._page("projects", project, "memory", format="markdown")

    async def list_proposals(
        self, project: str, *, status: str | None = None, limit: int | None = None
    ) -> ProposalPage:
        """What agents proposed to remember, oldest first; pending ones by default."""
        page: ProposalPage = await self._send("GET", "projects", project, "proposals", status=status, limit=limit)
        return page

    async def decide_proposal(
        self,
        project: str,
        proposal_id: str,
        decision: str,
        *,
        value: str | None = None,
        memory_keys: list[str] | None = None,
        reason: str | None = None,
    ) -> DecidedProposal:
        """`approve` a proposal into memory, as it is or with another `value`, or `reject` it."""
        path = ("projects", project, "proposals", proposal_id, "decision")
        said = {"value": value, "memory_keys": memory_keys, "reason": reason}
        decided: DecidedProposal = await self._send("POST", *path, decision=decision, **said)
        return decided
