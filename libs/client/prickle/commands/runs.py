"""`prickle runs`: what the runs of your agents used."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

import typer

from prickle.commands.showing import Column, columns, moment
from prickle.commands.talking import asks_api
from prickle.people import PeopleApi
from prickle.views import RunRecord

RUNS_PER_PAGE = 1000
RUN_FIELDS = tuple(name for name in RunRecord.__annotations__ if name != "source")
TOTAL_FIELDS = ("group", "runs", "input_tokens", "output_tokens", "turns", "duration_ms", "unknown", "late")
A_DAY = re.compile(r"\d{4}-\d\d-\d\d")
Filters = dict[str, str | None]

AgentId = Annotated[str | None, typer.Option("--agent", metavar="OWNER/NAME", help="Only this agent's.")]
TaskId = Annotated[str | None, typer.Option("--task", metavar="ID", help="Only those of this task.")]
Project = Annotated[str | None, typer.Option(help="Only those of this project.")]
Since = Annotated[
    str | None,
    typer.Option(metavar="DAY|TIME", help="Only those reported then or later; a day begins at midnight UTC."),
]
Until = Annotated[str | None, typer.Option(metavar="DAY|TIME", help="Only those reported before then.")]

runs = typer.Typer(no_args_is_help=True, help="What the runs of your agents used, as their runners reported it.")


def register(app: typer.Typer) -> None:
    """Add the group to the command line."""
    app.add_typer(runs, name="runs")


def count(number: int) -> str:
    """A number with its thousands apart."""
    return f"{number:,}"


def duration(milliseconds: int) -> str:
    """How long something took: its two largest units, seconds with a tenth below a minute."""
    if milliseconds < 59_950:
        return f"{milliseconds / 1000:.1f}s"
    minutes, seconds = divmod(round(milliseconds / 1000), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{count(hours)}h {minutes:02}m" if hours else f"{minutes}m {seconds:02}s"


def late(is_late: bool) -> str:
    """What marks a report that came after its attempt had lapsed."""
    return "late" if is_late else ""


USED = (
    Column("input_tokens", "tokens in", count, "right"),
    Column("output_tokens", "tokens out", count, "right"),
    Column("turns", "turns", count, "right"),
    Column("duration_ms", "time", duration, "right"),
)
RUN_COLUMNS = (
    Column("reported_at", "reported (UTC)", moment),
    Column("agent_id", "agent"),
    Column("project", "project"),
    Column("task_id", "task"),
    *USED,
    Column("exit_code", "exit", justify="right"),
    Column("late", "", late),
)
TOTAL_COLUMNS = (
    Column("group", ""),
    Column("runs", "runs", count, "right"),
    *USED,
    Column("unknown", "with unknowns", count, "right"),
    Column("late", "late", count, "right"),
)


@runs.command("list")
@asks_api(shows=columns(*RUN_COLUMNS), csv=RUN_FIELDS)
async def list_runs(
    api: PeopleApi,
    agent_id: AgentId = None,
    task_id: TaskId = None,
    project: Project = None,
    since: Since = None,
    until: Until = None,
    limit: Annotated[int, typer.Option(min=1, help="How many at most.")] = 100,
) -> Any:
    """List runs, newest first; a dash stands for a number that nobody knows."""
    found, more = await _newest(api, limit, _filters(agent_id, task_id, project, since, until))
    if more:
        typer.echo(f"There are more than these {limit}: raise --limit to see them.", err=True)
    return found


async def _newest(api: PeopleApi, limit: int, filters: Filters) -> tuple[list[RunRecord], bool]:
    """So many runs, page by page, and whether there are more."""
    found: list[RunRecord] = []
    after: str | None = None
    while True:
        page = await api.list_runs(after=after, limit=min(limit - len(found), RUNS_PER_PAGE), **filters)
        found += page["runs"]
        after = page["next"]
        if after is None or len(found) >= limit:
            return found, after is not None


@runs.command("totals")
@asks_api(shows=columns(*TOTAL_COLUMNS), csv=TOTAL_FIELDS)
async def sum_runs(
    api: PeopleApi,
    by: Annotated[Literal["day", "agent", "task", "outcome"], typer.Option(help="What a total is made for.")] = "day",
    agent_id: AgentId = None,
    task_id: TaskId = None,
    project: Project = None,
    since: Since = None,
    until: Until = None,
) -> Any:
    """Add up what runs used, without the runs whose number nobody knows; days are days in UTC."""
    summed = await api.sum_runs(by, **_filters(agent_id, task_id, project, since, until))
    if summed["more"]:
        typer.echo("There are more totals than these: narrow them down with --since or --agent.", err=True)
    return summed["totals"]


def _filters(
    agent_id: str | None, task_id: str | None, project: str | None, since: str | None, until: str | None
) -> Filters:
    times = {"since": _time(since), "until": _time(until)}
    return {"agent_id": agent_id, "task_id": task_id, "project": project, **times}


def _time(given: str | None) -> str | None:
    """A day stands for its first moment in UTC."""
    return f"{given}T00:00:00Z" if given and A_DAY.fullmatch(given) else given
