"""What the hub adds to the `prickle` command: `up`, `serve`, `demo` and `tools`."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from prickle.errors import HubError
from pydantic import ValidationError
from pydantic_settings import SettingsError
from rich.console import Console

from libs.contracts.markdown import reference_page
from libs.contracts.tools import TOOLS
from libs.runtime import guidance
from libs.runtime.demo import Demo, play, seed
from libs.runtime.directory_lock import CannotStart
from libs.runtime.installation import Installation, write_private
from libs.runtime.serving import SERVICES, serve
from libs.runtime.settings import Settings, load_settings

console = Console(highlight=False, soft_wrap=True, markup=False)
complaints = Console(highlight=False, soft_wrap=True, markup=False, stderr=True)

Port = Annotated[int | None, typer.Option(min=0, max=65535, help="Where agents connect; 0 is any free port.")]
ReadyFile = Annotated[
    Path | None,
    typer.Option(
        dir_okay=False, help="Written when the hub is healthy, with its URL and tokens, readable by you only."
    ),
]


def register(app: typer.Typer) -> None:
    """Add the hub's commands."""
    app.command("up")(up)
    app.command("serve")(serve_one)
    app.command("demo")(demo)
    app.command("tools")(tools)


def up(
    seeded: Annotated[bool, typer.Option("--demo", help="With a team, agents and the project website-v2.")] = False,
    port: Port = None,
    host: Annotated[str | None, typer.Option(help="The address to listen on.")] = None,
    data_dir: Annotated[Path | None, typer.Option(file_okay=False, help="Where all data is kept.")] = None,
    ready_file: ReadyFile = None,
    redis_url: Annotated[str | None, typer.Option(help="Your Redis, in place of the embedded Valkey.")] = None,
    database_url: Annotated[str | None, typer.Option(help="Your PostgreSQL, in place of SQLite files.")] = None,
) -> None:
    """Run a whole hub on this machine until Ctrl-C."""
    given = {"port": port, "host": host, "data_dir": data_dir, "redis_url": redis_url, "database_url": database_url}
    settings = _settings(**{name: value for name, value in given.items() if value is not None})
    if ready_file is not None and not ready_file.parent.is_dir():
        raise typer.BadParameter("name a file in a directory that exists", param_hint="--ready-file")
    with running(settings, embedded="redis_url" not in settings.model_fields_set) as installation:
        made = seeded_demo(installation) if seeded else Demo(installation.url, installation.operator_token())
        console.print(guidance.demo(installation, made) if seeded else guidance.first_steps(installation))
        with _announced(ready_file, made):
            installation.run()
        console.print("\nStopping …")


@contextmanager
def running(settings: Settings, *, embedded: bool) -> Iterator[Installation]:
    """A started installation, stopped in order when the block ends or a signal comes; exits when it cannot start."""
    installation = Installation(settings, embedded=embedded, tell=lambda line: complaints.print(f"prickle: {line}"))

    def stop(*_: object) -> None:
        installation.stopping = True

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    console.print(f"Starting a hub on {installation.directory} …")
    try:
        installation.start()
        if installation.stopping:
            raise typer.Exit
        yield installation
    except (CannotStart, HubError) as error:
        _fail(str(error))
    finally:
        installation.stop()


@contextmanager
def _announced(ready_file: Path | None, made: Demo) -> Iterator[None]:
    """Keep the ready file there as long as the block lasts."""
    if ready_file is not None:
        write_private(ready_file, json.dumps(made.wire(), indent=2) + "\n")
    try:
        yield
    finally:
        if ready_file is not None:
            ready_file.unlink(missing_ok=True)


def _settings(**given: Any) -> Settings:
    """The settings, or the end of the command with the names of the variables that are wrong."""
    try:
        return load_settings(**given)
    except ValidationError as error:
        names = sorted({f"PRICKLE_{str(wrong['loc'][0]).upper()}" for wrong in error.errors()})
        _fail(f"correct the value of {', '.join(names)}", code=2)
    except SettingsError:
        _fail("give lists as JSON in PRICKLE_ALLOWED_HOSTS and PRICKLE_ALLOWED_ORIGINS", code=2)


def _fail(sentence: str, code: int = 1) -> NoReturn:
    complaints.print(f"prickle: {sentence}")
    raise typer.Exit(code)


def seeded_demo(installation: Installation) -> Demo:
    """Seed the demo in a running installation."""
    kept = installation.directory / "demo.tokens"
    made = seed(installation.local_url, installation.operator_token(), kept)
    return replace(made, url=installation.url)


def demo() -> None:
    """Start a hub in a temporary directory and play the main job with two agents."""
    with tempfile.TemporaryDirectory(prefix="prickle-") as directory:
        apart = {"public_url": "", "database_url": "", "operator_token_file": None}
        settings = _settings(data_dir=Path(directory), host="127.0.0.1", port=0, **apart)
        with running(settings, embedded=True) as installation:
            asyncio.run(play(seeded_demo(installation), console))


def serve_one(service: Annotated[str, typer.Argument(help=f"One of {', '.join(SERVICES)}.")]) -> None:
    """Run one service until it is told to stop; its settings are PRICKLE_… variables."""
    if service not in SERVICES:
        _fail(f"name one of {', '.join(SERVICES)}", code=2)
    serve(service, _settings())


def tools(
    name: Annotated[str | None, typer.Argument(help="One tool; all of them by default.")] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="The whole reference page.")] = False,
) -> None:
    """The tools that agents can call."""
    if name is not None and name not in TOOLS:
        _fail("there is no such tool; `prickle tools` lists them")
    for tool in [TOOLS[name]] if name else TOOLS.values():
        if markdown:
            sys.stdout.write(reference_page(tool) + "\n")
        else:
            console.print(f"{tool.name:<22} {tool.title}")
