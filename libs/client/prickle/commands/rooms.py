"""`prickle say`, `tail`, `redact`, `pulse`: a project's room, and what its agents are doing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any, Literal

import typer
from rich.console import RenderableType
from rich.text import Text

from prickle.commands.showing import Column, columns, moment, one_line, sentence, text
from prickle.commands.talking import asks_api, follows_api
from prickle.people import PeopleApi
from prickle.views import Message, PostedMessage, Pulse

PROVENANCE = {"instruction": "owner_instruction", "approved": "owner_approved"}

Project = Annotated[str, typer.Argument(metavar="PROJECT", help="The project's slug.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    for name, command in (("say", say), ("tail", tail), ("redact", redact), ("pulse", show_pulse)):
        app.command(name)(command)


def posted(answer: PostedMessage) -> RenderableType:
    """That a message is stored, and who was told."""
    told = f"told: {', '.join(answer['notified'])}" if answer["notified"] else "nobody was told"
    missed = "".join(f"; not {one['address']} ({one['reason']})" for one in answer["not_notified"])
    notice = f" {answer['notice']}" if "notice" in answer else ""
    return text(f"Posted as {answer['message']['id']}; {told}{missed}.{notice}")


def message_lines(message: Message) -> RenderableType:
    """Who wrote when, and below it what."""
    author = message["author"]
    about = [message["id"], *([message["provenance"]] if message["provenance"] else [])]
    head = Text.assemble(
        (moment(message["created_at"]), "dim"),
        " ",
        (text(author.get("agent_id") or author.get("handle", "")).plain, "bold"),
        " ",
        (f"({', '.join(about)})", "dim"),
    )
    body = "\n".join(f"  {line}" for line in text(message["body"]).plain.split("\n"))
    return Text.assemble(head, "\n", body)


def intent_of(pulse: Pulse) -> str | None:
    """What an agent is about to change, if it said so."""
    intent = pulse.get("intent")
    return f"{intent['kind']}: {', '.join([*intent['paths'], *intent['areas']])}" if intent else None


def pulse_table(pulses: list[Pulse]) -> RenderableType:
    """A line per agent."""
    return PULSE([{**pulse, "intent": intent_of(pulse)} for pulse in pulses])


PULSE = columns(
    Column("agent_id", "agent"),
    Column("availability", "availability"),
    Column("doing", "doing", one_line),
    Column("task_id", "task"),
    Column("branch", "branch"),
    Column("intent", "intent", one_line),
    Column("updated_at", "updated (UTC)", moment),
)


@asks_api(shows=posted)
async def say(
    api: PeopleApi,
    project: Project,
    body: Annotated[str, typer.Argument(metavar="TEXT", help="What to say, in Markdown; @address mentions a member.")],
    provenance: Annotated[
        Literal["instruction", "approved"] | None,
        typer.Option("--as", help="Say it as an instruction of yours, or as something that you approve."),
    ] = None,
    reply_to: Annotated[str | None, typer.Option(metavar="ID", help="The message that it answers.")] = None,
    task: Annotated[str | None, typer.Option(metavar="ID", help="The task that it is about.")] = None,
) -> Any:
    """Say something in a project's room."""
    said_as = PROVENANCE[provenance] if provenance else None
    return await api.post_message(project, body, provenance=said_as, in_reply_to=reply_to, task_id=task)


@follows_api(shows=message_lines)
async def tail(
    api: PeopleApi,
    project: Project,
    last: Annotated[int, typer.Option("--last", "-n", min=0, help="How many earlier messages to begin with.")] = 10,
) -> AsyncIterator[Message]:
    """Follow a project's room live, also while the hub restarts; with --json a line per message. Ctrl-C ends it."""
    newest = await api.newest_messages(project, max(last, 1))
    for message in newest[-last:] if last else []:
        yield message
    async for message in api.follow_messages(project, newest[-1]["id"] if newest else None):
        yield message


@asks_api(shows=sentence("Redacted; author and time are kept."))
async def redact(
    api: PeopleApi,
    project: Project,
    message_id: Annotated[str, typer.Argument(metavar="MESSAGE", help="The message's id, as prickle tail shows it.")],
    reason: Annotated[str | None, typer.Option(help="Why, for everybody to read.")] = None,
) -> Any:
    """Replace for good what a message says: one of yours or of your agents, or any in a project of yours."""
    return await api.redact_message(project, message_id, reason=reason)


@asks_api(shows=pulse_table)
async def show_pulse(api: PeopleApi, project: Project) -> Any:
    """List what the agents of a project are doing."""
    return await api.get_pulse(project)
