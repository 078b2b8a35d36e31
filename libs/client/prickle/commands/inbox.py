"""`prickle inbox`, `approve`, `deny`, `done`, `answer`: what awaits you, and your word on it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import typer
from rich.console import RenderableType
from rich.text import Text

from prickle.commands.showing import Column, columns, moment, one_line, sentence
from prickle.commands.talking import asks_api
from prickle.errors import HubError
from prickle.people import PeopleApi
from prickle.views import Inbox, Proposal, Request

UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
DURATION = re.compile(r"([1-9][0-9]{0,5})([smhd])")
NOTHING_AWAITS = "Nothing with this id awaits you; prickle inbox lists what does."

WantedId = Annotated[str, typer.Argument(metavar="ID", help="The id, as prickle inbox lists it.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    for name, command in (("inbox", show_inbox), ("approve", approve), ("deny", deny), ("done", done)):
        app.command(name)(command)
    app.command("answer")(answer)


def duration(text: str) -> timedelta:
    """`30m`, `8h`, `2d`: a number with its unit."""
    given = DURATION.fullmatch(text)
    if given is None:
        raise typer.BadParameter("Give a number with s, m, h or d, such as 8h.")
    return timedelta(**{UNITS[given[2]]: int(given[1])})


def inbox_table(inbox: Inbox) -> RenderableType:
    """Everything that awaits a person in one table, newest first."""
    lines = sorted(_lines(inbox), key=lambda line: line["at"], reverse=True)
    return INBOX(lines) if lines else Text("Nothing awaits you.")


INBOX = columns(
    Column("at", "since (UTC)", moment),
    Column("what", "what"),
    Column("id", "id"),
    Column("project", "project"),
    Column("by", "from"),
    Column("about", "about", one_line),
)


def _lines(inbox: Inbox) -> Iterator[dict[str, str]]:
    for reviewed in inbox["reviews"]:
        task, result = reviewed["task"], reviewed["result"]
        about = f"{task['title']}: {result['outcome']}"
        yield _line("review", task["task_id"], task["project"], task["assignee"], about, result["returned_at"])
    for task in inbox["tasks"]:
        about = f"{task['title']} (for {task['assignee']})"
        yield _line("task", task["task_id"], task["project"], task["requester"], about, task["created_at"])
    for request in inbox["requests"]:
        who = (request["request_id"], request["project"], request["asked_by"])
        yield _line(request["kind"], *who, _wish(request), request["at"])
    for proposal in inbox["proposals"]:
        about = f"{proposal['key']}: {proposal['value']}"
        who = (proposal["proposal_id"], proposal["project"], proposal["proposed_by"])
        yield _line("memory", *who, about, proposal["at"])


def _line(what: str, thing_id: str, project: str, by: str, about: str, at: str) -> dict[str, str]:
    return {"what": what, "id": thing_id, "project": project, "by": by, "about": about, "at": at}


def _wish(request: Request) -> str:
    """What is wanted, and why."""
    wanted = request.get("question") or request.get("capability") or request.get("step") or ""
    reason = request.get("reason") or request.get("why")
    return f"{wanted} ({reason})" if reason else wanted


@asks_api(shows=inbox_table)
async def show_inbox(api: PeopleApi) -> Any:
    """List what awaits you: results to review, tasks to allow, requests of your agents, memory to approve."""
    return await api.read_inbox()


@asks_api(shows=sentence("Approved."))
async def approve(
    api: PeopleApi,
    wanted: WantedId,
    until: Annotated[str | None, typer.Option(metavar="TIME", help="When an approved capability ends.")] = None,
    lasting: Annotated[
        timedelta | None,
        typer.Option("--for", parser=duration, metavar="DURATION", help="How long it lasts, such as 30m, 8h or 2d."),
    ] = None,
) -> Any:
    """Approve a request, a proposal for memory, or a task from outside."""
    if until and lasting:
        raise typer.BadParameter("choose --until or --for")
    expires_at = (datetime.now(UTC) + lasting).isoformat() if lasting else until
    inbox = await api.read_inbox()
    proposal = _proposal(inbox, wanted)
    if expires_at and (proposal or _awaits_allowance(inbox, wanted)):
        raise typer.BadParameter("only capabilities end by themselves: leave --until and --for out")
    if proposal:
        return await api.decide_proposal(proposal["project"], wanted, "approve")
    if _awaits_allowance(inbox, wanted):
        return await api.allow_task(wanted)
    return await _decide_request(api, wanted, "approve", expires_at=expires_at)


@asks_api(shows=sentence("Denied; whoever asked is told."))
async def deny(
    api: PeopleApi,
    wanted: WantedId,
    reason: Annotated[str, typer.Argument(metavar="REASON", help="Why, for whoever asked.")],
) -> Any:
    """Deny a request, a proposal for memory, or a task from outside."""
    inbox = await api.read_inbox()
    if proposal := _proposal(inbox, wanted):
        return await api.decide_proposal(proposal["project"], wanted, "reject", reason=reason)
    if _awaits_allowance(inbox, wanted):
        return await api.refuse_task(wanted, reason=reason)
    return await _decide_request(api, wanted, "deny", reason=reason)


@asks_api(shows=sentence("Done; the agent is told."))
async def done(
    api: PeopleApi, wanted: WantedId, note: Annotated[str | None, typer.Option(help="A word to the agent.")] = None
) -> Any:
    """Say that you have done a step that an agent asked for."""
    return await _decide_request(api, wanted, "done", reason=note)


@asks_api(shows=sentence("Answered; the agent goes on."))
async def answer(
    api: PeopleApi, wanted: WantedId, text: Annotated[str, typer.Argument(metavar="ANSWER", help="The answer.")]
) -> Any:
    """Answer a question about a task that you handed off."""
    return await api.answer_request(wanted, text)


def _proposal(inbox: Inbox, wanted: str) -> Proposal | None:
    return next((proposal for proposal in inbox["proposals"] if proposal["proposal_id"] == wanted), None)


def _awaits_allowance(inbox: Inbox, wanted: str) -> bool:
    return any(task["task_id"] == wanted for task in inbox["tasks"])


async def _decide_request(api: PeopleApi, wanted: str, decision: str, **said: str | None) -> Request:
    """Also when it was decided before: the hub knows whether that is the same decision."""
    try:
        return await api.decide_request(wanted, decision, **said)
    except HubError as error:
        if error.code != "not_found":
            raise
        raise HubError(error.code, NOTHING_AWAITS) from None
