"""`prickle memory`: what a project's agents may rely on."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.console import RenderableType
from rich.text import Text

from prickle.commands.showing import Column, columns, fields, moment, one_line, sentence, text
from prickle.commands.talking import asks_api
from prickle.people import PeopleApi
from prickle.views import DecidedProposal, EntryHistory, Proposal

Project = Annotated[str, typer.Argument(metavar="PROJECT", help="The project's slug.")]
Key = Annotated[str, typer.Argument(metavar="KEY", help="What the entry is about.")]
ProposalId = Annotated[str, typer.Argument(metavar="PROPOSAL", help="The proposal's id, as listed.")]

memory = typer.Typer(no_args_is_help=True, help="The approved memory of a project.")

ENTRIES = columns(
    Column("key", "key"),
    Column("value", "value", one_line),
    Column("provenance", "provenance"),
    Column("updated_by", "by"),
    Column("updated_at", "at (UTC)", moment),
)
VERSIONS = columns(
    Column("updated_at", "from (UTC)", moment),
    Column("ended_at", "until (UTC)", moment),
    Column("value", "value", one_line),
    Column("provenance", "provenance"),
    Column("updated_by", "by"),
    Column("ended_by", "ended by"),
)
PROPOSALS = columns(
    Column("proposal_id", "id"),
    Column("key", "key"),
    Column("value", "value", one_line),
    Column("proposed_by", "by"),
    Column("task_id", "task"),
    Column("at", "at (UTC)", moment),
)


def register(app: typer.Typer) -> None:
    """Add the group to the command line."""
    app.add_typer(memory, name="memory")


def history_table(history: EntryHistory) -> RenderableType:
    """A line per version, newest first."""
    return VERSIONS(history["versions"])


def proposals_table(proposals: list[Proposal]) -> RenderableType:
    """A line per proposal, oldest first."""
    return PROPOSALS(proposals) if proposals else Text("No proposal awaits a decision.")


def approved(decided: DecidedProposal) -> RenderableType:
    """What is remembered now."""
    entry = decided["entry"]
    return ENTRIES([entry]) if entry else Text("Approved; the entry has been deleted since.")


@memory.command("list")
@asks_api(shows=ENTRIES)
async def list_entries(api: PeopleApi, project: Project) -> Any:
    """List what a project remembers, newest first."""
    return (await api.get_project(project))["memory"]


@memory.command("set")
@asks_api(shows=fields("key", "value", "provenance", "updated_by", "updated_at"))
async def set_entry(
    api: PeopleApi,
    project: Project,
    key: Key,
    value: Annotated[str, typer.Argument(metavar="VALUE", help="What holds, in Markdown.")],
) -> Any:
    """Write an entry, as a person of the project."""
    return await api.write_memory(project, key, value)


@memory.command("delete")
@asks_api(shows=sentence("Deleted; its history is kept."))
async def delete_entry(api: PeopleApi, project: Project, key: Key) -> Any:
    """Take an entry out of memory."""
    return await api.delete_memory(project, key)


@memory.command("history")
@asks_api(shows=history_table)
async def show_history(api: PeopleApi, project: Project, key: Key) -> Any:
    """Show what an entry is and was, newest first."""
    return await api.show_history(project, key)


@memory.command("proposals")
@asks_api(shows=proposals_table)
async def list_proposals(api: PeopleApi, project: Project) -> Any:
    """List what agents propose to remember, oldest first."""
    page = await api.list_proposals(project)
    if page["more"]:
        typer.echo("There are more proposals than these: decide some to see them.", err=True)
    return page["proposals"]


@memory.command("approve")
@asks_api(shows=approved)
async def approve_proposal(
    api: PeopleApi,
    project: Project,
    proposal_id: ProposalId,
    value: Annotated[str | None, typer.Option(help="What to remember instead of the proposed value.")] = None,
    rests_on: Annotated[
        list[str] | None, typer.Option(metavar="KEY", help="An approved entry that it rests on; may be repeated.")
    ] = None,
) -> Any:
    """Approve a proposal into memory, as it is or edited."""
    return await api.decide_proposal(project, proposal_id, "approve", value=value, memory_keys=rests_on or None)


@memory.command("reject")
@asks_api(shows=sentence("Rejected."))
async def reject_proposal(
    api: PeopleApi,
    project: Project,
    proposal_id: ProposalId,
    reason: Annotated[str | None, typer.Argument(metavar="REASON", help="Why.")] = None,
) -> Any:
    """Reject a proposal."""
    return await api.decide_proposal(project, proposal_id, "reject", reason=reason)


@memory.command("export")
@asks_api(shows=text)
async def export(api: PeopleApi, project: Project, as_json: bool) -> Any:
    """Print a project's whole memory with its history, as Markdown or with --json as JSON."""
    return await (api.export_memory(project) if as_json else api.memory_page(project))
