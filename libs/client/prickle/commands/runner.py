"""`prickle runner`: run a person's agents on this machine."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Coroutine
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer

from prickle.client import Hub
from prickle.commands.talking import DEFAULT_URL
from prickle.errors import HubError
from prickle.runner.board import Board, LiveBoard
from prickle.runner.configuration import load_configuration
from prickle.runner.errors import RunnerError
from prickle.runner.journal import Journal
from prickle.runner.machine import Machine
from prickle.runner.pairing import Pairing
from prickle.runner.places import Places, find_places
from prickle.runner.runner import Runner

runner = typer.Typer(no_args_is_help=True, help="Run your agents on this machine for the tasks that the hub has.")


def register(app: typer.Typer) -> None:
    """Add the group to the command line."""
    app.add_typer(runner, name="runner")


@runner.command()
def pair(
    url: Annotated[
        str | None, typer.Option(envvar="PRICKLE_URL", help="Where the hub is; asked for by default.")
    ] = None,
    key_file: Annotated[
        Path | None, typer.Option(help="A file with the device's key; - for standard input.", allow_dash=True)
    ] = None,
) -> None:
    """Store a device's key, taken from PRICKLE_DEVICE_KEY, a file, or what you type; never from an argument."""
    where = url or typer.prompt("The hub's URL", default=DEFAULT_URL)
    pairing = Pairing(where, _key(key_file))
    _or_exit(pairing.check())
    place = find_places().pairing
    pairing.store(place)
    typer.echo(f"Paired: the key is in {place}, for you alone. Now write {find_places().configuration}.")


@runner.command()
def start(
    plain: Annotated[bool, typer.Option("--plain", help="Print lines for a log in place of a live table.")] = False,
    once: Annotated[bool, typer.Option("--once", help="End when everything that is there now has run.")] = False,
) -> None:
    """Wait for tasks and discussions of your agents, and run them."""
    _or_exit(_run(find_places(), plain=plain or not sys.stdout.isatty(), once=once))


async def _run(places: Places, *, plain: bool, once: bool) -> None:
    pairing, configuration = Pairing.load(places.pairing), load_configuration(places.configuration)
    with ExitStack() as stack:
        journal = Journal(places.journal)
        stack.callback(journal.close)
        board = stack.enter_context(Board() if plain else LiveBoard())
        async with Hub.at(pairing.url, pairing.token) as hub:
            working = Runner(Machine(hub, pairing, places, configuration, journal, board), once=once)
            for number in (signal.SIGTERM, signal.SIGINT):
                asyncio.get_running_loop().add_signal_handler(number, working.stop)
            board.say(f"Runs {', '.join(sorted(configuration.agents))}.")
            await working.run()
            board.say("Stopped.")


def _key(key_file: Path | None) -> str:
    if key_file is None and (given := os.environ.get("PRICKLE_DEVICE_KEY")):
        return given
    if key_file is None:
        asked: str = typer.prompt("The device's key", hide_input=True) if sys.stdin.isatty() else sys.stdin.readline()
        return asked.strip()
    return (sys.stdin.read() if str(key_file) == "-" else key_file.read_text(encoding="utf-8")).strip()


def _or_exit(work: Coroutine[Any, Any, None]) -> None:
    try:
        asyncio.run(work)
    except HubError as error:
        typer.echo(error.message, err=True)
        raise typer.Exit(1) from None
    except RunnerError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(1) from None
