"""`prickle call`: one call of a tool, as an agent makes it."""

from __future__ import annotations

import json
from typing import Annotated, Any, NamedTuple

import typer

from prickle.client import Hub
from prickle.commands.showing import indented_json
from prickle.commands.talking import calls_hub


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("call")(call_tool)


class Given(NamedTuple):
    """One argument of a tool."""

    name: str
    value: Any


def parse(text: str) -> Given:
    """`key=value`; a value that is JSON is taken as JSON, anything else as text."""
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise typer.BadParameter("Give each argument as key=value.")
    try:
        return Given(name, json.loads(value))
    except ValueError:
        return Given(name, value)


@calls_hub(shows=indented_json)
async def call_tool(
    hub: Hub,
    tool: Annotated[str, typer.Argument(metavar="TOOL", help="The tool's name, such as post_message.")],
    arguments: Annotated[
        list[Given] | None,
        typer.Argument(parser=parse, metavar="KEY=VALUE", help="Its arguments; values are JSON or text."),
    ] = None,
) -> Any:
    """Call a tool with an agent's key and print its answer."""
    return await hub.call(tool, **dict(arguments or []))
