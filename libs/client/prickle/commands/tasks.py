"""`prickle tasks`: tasks from outside that await your word before your agents get them."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from prickle.commands.showing import fields, rows, sentence
from prickle.commands.talking import asks_api
from prickle.people import PeopleApi

WAITING_FIELDS = ("task_id", "project", "title", "requester", "assignee", "due_at")
WHOLE_FIELDS = (*WAITING_FIELDS, "state", "branch", "packet.objective", "packet.acceptance")

TaskId = Annotated[str, typer.Argument(metavar="TASK", help="The task's id, as listed.")]

tasks = typer.Typer(no_args_is_help=True, help="Tasks from outside that await your word.")


def register(app: typer.Typer) -> None:
    """Add the group to the command line."""
    app.add_typer(tasks, name="tasks")


@tasks.command("waiting")
@asks_api(shows=rows(*WAITING_FIELDS))
async def list_waiting(api: PeopleApi) -> Any:
    """List the tasks for your agents that await your word."""
    return await api.list_waiting_tasks()


@tasks.command("show")
@asks_api(shows=fields(*WHOLE_FIELDS))
async def show_task(api: PeopleApi, task_id: TaskId) -> Any:
    """Show a task whole, as its agent would get it."""
    return (await api.list_tasks(task_id=task_id))["tasks"][0]


@tasks.command("allow")
@asks_api(shows=sentence("Allowed; the agent has it now."))
async def allow_task(api: PeopleApi, task_id: TaskId) -> Any:
    """Let your agent have a task."""
    return await api.allow_task(task_id)


@tasks.command("refuse")
@asks_api(shows=sentence("Refused; the requester is told."))
async def refuse_task(
    api: PeopleApi,
    task_id: TaskId,
    reason: Annotated[str | None, typer.Option(help="Why, for the requester.")] = None,
) -> Any:
    """Decline a task in your agent's place."""
    return await api.refuse_task(task_id, reason=reason)
