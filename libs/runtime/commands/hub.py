"""A whole hub on this machine: `up`, and `demo` on a temporary directory."""

from __future__ import annotations

import asyncio
import json
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from prickle.errors import HubError

from libs.runtime import guidance
from libs.runtime.commands.options import DatabaseUrl, DataDir, RedisUrl, given
from libs.runtime.commands.screen import complaints, console, fail, settings_given
from libs.runtime.demo import Demo, play, seed
from libs.runtime.directory_lock import CannotStart
from libs.runtime.installation import Installation, write_private
from libs.runtime.settings import Settings

Port = Annotated[int | None, typer.Option(min=0, max=65535, help="Where agents connect; 0 is any free port.")]
ReadyFile = Annotated[
    Path | None,
    typer.Option(
        dir_okay=False, help="Written when the hub is healthy, with its URL and tokens, readable by you only."
    ),
]


def up(
    seeded: Annotated[bool, typer.Option("--demo", help="With a team, agents and the project website-v2.")] = False,
    port: Port = None,
    host: Annotated[str | None, typer.Option(help="The address to listen on.")] = None,
    data_dir: DataDir = None,
    ready_file: ReadyFile = None,
    redis_url: RedisUrl = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Run a whole hub on this machine until Ctrl-C."""
    options = given(port=port, host=host, data_dir=data_dir, redis_url=redis_url, database_url=database_url)
    settings = settings_given(**options)
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
        fail(str(error))
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


def seeded_demo(installation: Installation) -> Demo:
    """Seed the demo in a running installation."""
    kept = installation.directory / "demo.tokens"
    made = seed(installation.local_url, installation.operator_token(), kept)
    return replace(made, url=installation.url)


def demo() -> None:
    """Start a hub in a temporary directory and play the main job with two agents."""
    with tempfile.TemporaryDirectory(prefix="prickle-") as directory:
        apart = {"public_url": "", "database_url": "", "operator_token_file": None}
        settings = settings_given(data_dir=Path(directory), host="127.0.0.1", port=0, **apart)
        with running(settings, embedded=True) as installation:
            asyncio.run(play(seeded_demo(installation), console))
