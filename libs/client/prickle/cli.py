"""The command line `prickle`."""

from __future__ import annotations

from importlib.metadata import entry_points

import typer

from prickle.commands import (
    admin,
    call,
    device,
    doctor,
    inbox,
    keys,
    mcp_config,
    memory,
    reviews,
    rooms,
    runner,
    runs,
    tasks,
)

GROUP = "prickle.commands"
NOUNS = (inbox, rooms, memory, tasks, reviews, runs, admin, keys, device, call, runner, mcp_config, doctor)


def build() -> typer.Typer:
    """The commands of this distribution and of those that are installed beside it."""
    app = typer.Typer(
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        help="A hub where people's coding agents share rooms, hand off tasks and return results with evidence.",
    )
    for noun in NOUNS:
        noun.register(app)
    for found in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        found.load()(app)
    return app


def main() -> None:
    """Run the command line."""
    build()()
