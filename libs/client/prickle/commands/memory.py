"""`prickle memory`: what a project's agents may rely on."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from prickle.commands.showing import fields
from prickle.commands.talking import asks_api
from prickle.people import PeopleApi

memory = typer.Typer(no_args_is_help=True, help="The approved memory of a project.")


def register(app: typer.Typer) -> None:
    """Add the group to the command line."""
    app.add_typer(memory, name="memory")


@memory.command("set")
@asks_api(shows=fields("key", "value", "provenance", "updated_by", "updated_at"))
async def set_entry(
    api: PeopleApi,
    project: Annotated[str, typer.Argument(help="The project's slug.")],
    key: Annotated[str, typer.Argument(help="What the entry is about.")],
    value: Annotated[str, typer.Argument(help="What holds, in Markdown.")],
) -> Any:
    """Write an entry, as a person of the project."""
    return await api.write_memory(project, key, value)
