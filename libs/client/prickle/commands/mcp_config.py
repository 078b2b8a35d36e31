"""`prickle mcp-config`: what an agent's client needs to know of the hub."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from prickle.commands.talking import DEFAULT_URL
from prickle.errors import HubError
from prickle.runner.mcp_config import FORMATS

CLIENTS = ", ".join(FORMATS)


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("mcp-config")(print_configuration)


def print_configuration(
    client: Annotated[str, typer.Argument(metavar="CLIENT", help=f"The agent's client: {CLIENTS}.")],
    url: Annotated[str, typer.Option(envvar="PRICKLE_URL", help="Where the hub is; any of its URLs.")] = DEFAULT_URL,
) -> None:
    """Print a client's MCP configuration, with the agent's key from PRICKLE_TOKEN where the client takes it in there.

    Without PRICKLE_TOKEN, and for clients that read it themselves, it names that variable.
    """
    if client not in FORMATS:
        raise typer.BadParameter(f"Name one of {CLIENTS}.")
    try:
        typer.echo(FORMATS[client](url, os.environ.get("PRICKLE_TOKEN")), nl=False)
    except HubError as error:
        typer.echo(error.message, err=True)
        raise typer.Exit(1) from None
