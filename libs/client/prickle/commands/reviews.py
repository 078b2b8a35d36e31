"""`prickle review` and `prickle cancel`: your word on results, and on tasks that are no longer wanted."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from prickle.commands.showing import sentence
from prickle.commands.talking import asks_api
from prickle.people import PeopleApi

TaskId = Annotated[str, typer.Argument(metavar="TASK", help="The task's id, as prickle inbox lists it.")]

review = typer.Typer(no_args_is_help=True, help="Results that await your review.")


def register(app: typer.Typer) -> None:
    """Add the group and the command to the command line."""
    app.add_typer(review, name="review")
    app.command("cancel")(cancel)


@review.command("accept")
@asks_api(shows=sentence("Accepted; the task is done."))
async def accept(
    api: PeopleApi, task_id: TaskId, note: Annotated[str | None, typer.Option(help="A word to the agent.")] = None
) -> Any:
    """Accept the newest result of a task."""
    return await api.accept_result(task_id, note=note)


@review.command("reject")
@asks_api(shows=sentence("Rejected; the task is requested again."))
async def reject(
    api: PeopleApi,
    task_id: TaskId,
    reason: Annotated[str, typer.Argument(metavar="REASON", help="What is missing or wrong, for the next attempt.")],
) -> Any:
    """Reject the newest result of a task."""
    return await api.reject_result(task_id, reason)


@asks_api(shows=sentence("Cancelled; whoever works on it is told."))
async def cancel(
    api: PeopleApi,
    task_id: TaskId,
    reason: Annotated[str, typer.Argument(metavar="REASON", help="Why, for the agent.")],
) -> Any:
    """End a task that is not final."""
    return await api.cancel_task(task_id, reason)
