"""What the hub adds to the `prickle` command: `up`, `serve`, `demo` and `tools`."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from libs.contracts.markdown import reference_page
from libs.contracts.tools import TOOLS
from libs.runtime.demo import Demo, play, seed
from libs.runtime.directory_lock import DirectoryInUse
from libs.runtime.installation import Installation, PortTaken, write_private
from libs.runtime.serving import SERVICES, serve
from libs.runtime.settings import Settings, load_settings
from libs.runtime.valkey import free_port

console = Console(highlight=False, soft_wrap=True)


def register(app: typer.Typer) -> None:
    """Add the hub's commands."""
    app.command("up")(up)
    app.command("serve")(serve_one)
    app.command("demo")(demo)
    app.command("tools")(tools)


def up(
    seeded: Annotated[bool, typer.Option("--demo", help="Seed a team, agents and the project website-v2.")] = False,
    port: Annotated[int | None, typer.Option(help="Where agents connect.")] = None,
    host: Annotated[str | None, typer.Option(help="The address to listen on.")] = None,
    data_dir: Annotated[Path | None, typer.Option(help="Where all data is kept.")] = None,
    ready_file: Annotated[Path | None, typer.Option(help="Written, readable by you only, once all is healthy.")] = None,
    redis_url: Annotated[str | None, typer.Option(help="A Redis of yours instead of the embedded Valkey.")] = None,
    database_url: Annotated[str | None, typer.Option(help="A PostgreSQL of yours instead of SQLite files.")] = None,
) -> None:
    """Run a whole hub on this machine until Ctrl-C."""
    given = {"port": port, "host": host, "data_dir": data_dir, "redis_url": redis_url, "database_url": database_url}
    settings = load_settings(**{name: value for name, value in given.items() if value is not None})
    with running(settings, embedded=redis_url is None) as installation:
        told = _tell_demo(installation) if seeded else _tell(installation)
        if ready_file is not None:
            write_private(ready_file, json.dumps(told))
        installation.run()
        console.print("Stopping …")


@contextmanager
def running(settings: Settings, *, embedded: bool) -> Iterator[Installation]:
    """A started installation; stopped in order when the block ends. Exits with a sentence when it cannot start."""
    installation = Installation(settings, embedded=embedded)

    def stop(*_: object) -> None:
        installation.stopping = True

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    try:
        installation.start()
        yield installation
    except (DirectoryInUse, PortTaken, RuntimeError) as error:
        console.print(f"prickle: {error}", style="red")
        raise typer.Exit(1) from error
    finally:
        installation.stop()


def _tell(installation: Installation) -> dict[str, Any]:
    token = installation.operator_token_file()
    console.print(f"[bold]Prickle is up[/] at {installation.url}; stop it with Ctrl-C.")
    console.print(f"The operator's token is in {token}. First steps:")
    console.print(f"  export PRICKLE_URL={installation.url} PRICKLE_TOKEN=$(cat {token})")
    console.print("  prickle admin team add acme && prickle admin person add maya --team acme --name Maya")
    return {"url": installation.url, "operator": token.read_text().strip(), "persons": {}, "agents": {}}


def _tell_demo(installation: Installation) -> dict[str, Any]:
    made = seeded_demo(installation)
    agent = "maya/codex"
    server = {"type": "http", "url": made.url, "headers": {"Authorization": f"Bearer {made.agents[agent]}"}}
    console.print(f"[bold]Prickle is up[/] at {made.url} with the project website-v2; stop it with Ctrl-C.")
    console.print(f"\nConnect an agent as {agent} (for instance in .mcp.json):")
    console.print(json.dumps({"mcpServers": {"prickle": server}}, indent=2), markup=False)
    console.print("\nTry one line in another terminal:")
    line = "prickle call post_message project=website-v2 body='@jonas/claude hello'"
    console.print(f"  PRICKLE_URL={made.url} PRICKLE_TOKEN={made.agents[agent]} {line}", markup=False)
    return made.wire()


def seeded_demo(installation: Installation) -> Demo:
    """Seed the demo in a running installation."""
    operator = installation.operator_token_file().read_text().strip()
    return asyncio.run(seed(installation.url, operator, installation.directory / "demo.tokens"))


def demo() -> None:
    """Start a hub in a temporary directory and play the main job with two agents."""
    with tempfile.TemporaryDirectory(prefix="prickle-") as directory:
        settings = load_settings(data_dir=Path(directory), port=free_port())
        console.print("Starting a hub …", style="dim")
        with running(settings, embedded=True) as installation:
            asyncio.run(play(seeded_demo(installation), console))


def serve_one(service: Annotated[str, typer.Argument(help=f"One of {', '.join(SERVICES)}.")]) -> None:
    """Run one service until it is told to stop; its settings are PRICKLE_… variables."""
    if service not in SERVICES:
        console.print(f"prickle: name one of {', '.join(SERVICES)}", style="red")
        raise typer.Exit(2)
    serve(service, load_settings())


def tools(
    name: Annotated[str | None, typer.Argument(help="One tool; all of them by default.")] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="The whole reference page.")] = False,
) -> None:
    """The tools that agents can call."""
    if name is not None and name not in TOOLS:
        console.print("prickle: there is no such tool; `prickle tools` lists them", style="red")
        raise typer.Exit(1)
    for tool in [TOOLS[name]] if name else TOOLS.values():
        if markdown:
            sys.stdout.write(reference_page(tool) + "\n")
        else:
            console.print(f"[bold]{tool.name:<22}[/] {tool.title}")
