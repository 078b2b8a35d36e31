"""The approved memory of projects: written, proposed, decided and exported (R17)."""

from __future__ import annotations

from typing import Literal

from libs.contracts.base import Data
from libs.contracts.rooms import (
    DecidedProposal,
    DecideProposal,
    DeletedMemory,
    DeleteMemory,
    EntryHistory,
    ExportedMemory,
    ExportMemory,
    ListProposals,
    MemoryHistory,
    Proposals,
    WriteMemory,
    WrittenMemory,
)
from libs.contracts.types import Slug
from services.gateway.people.answers import Markdown
from services.gateway.people.endpoint import endpoint
from services.gateway.people.memory_page import memory_page
from services.gateway.session import Session


class AskedExport(Data):
    """Whose memory is wanted, and how."""

    project: Slug
    format: Literal["json", "markdown"] = "json"


@endpoint("GET", "/projects/{project}/memory", AskedExport)
async def export_memory(asked: AskedExport, session: Session) -> ExportedMemory | Markdown:
    """All that a project remembers or ever did, as JSON or as a page for people."""
    exported = await session.ask(ExportMemory(project=asked.project))
    return memory_page(exported) if asked.format == "markdown" else exported


@endpoint("GET", "/projects/{project}/memory/{key:text}/history", MemoryHistory)
async def show_history(query: MemoryHistory, session: Session) -> EntryHistory:
    """What an entry is and was, newest first, also after it was deleted."""
    return await session.ask(query)


@endpoint("PUT", "/projects/{project}/memory/{key:text}", WriteMemory)
async def write_memory(command: WriteMemory, session: Session) -> WrittenMemory:
    """Write an entry of a project's memory, as a person who is a member (R17)."""
    return await session.ask(command)


@endpoint("DELETE", "/projects/{project}/memory/{key:text}", DeleteMemory)
async def delete_memory(command: DeleteMemory, session: Session) -> DeletedMemory:
    """Take an entry out of a project's memory, as a person who is a member; its history is kept."""
    return await session.ask(command)


@endpoint("GET", "/projects/{project}/proposals", ListProposals)
async def list_proposals(query: ListProposals, session: Session) -> Proposals:
    """What agents proposed to remember with their results, oldest first."""
    return await session.ask(query)


@endpoint("POST", "/projects/{project}/proposals/{proposal_id}/decision", DecideProposal)
async def decide_proposal(command: DecideProposal, session: Session) -> DecidedProposal:
    """Approve a proposal into memory, as it is or edited, or reject it; the first decision stands (R17)."""
    return await session.ask(command)
