"""`prickle doctor`: what stands between this machine and a hub, and what to do about it."""

from __future__ import annotations

import asyncio
import os
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from prickle.commands.talking import DEFAULT_URL
from prickle.runner.checks import Finding, examine
from prickle.runner.places import find_places

MARKS = {"well": "[green]✓[/green]", "note": "[yellow]·[/yellow]", "ill": "[red]✗[/red]"}


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("doctor")(doctor)


def doctor(
    url: Annotated[
        str | None, typer.Option(envvar="PRICKLE_URL", help=f"Where the hub is; the paired one, or {DEFAULT_URL}.")
    ] = None,
) -> None:
    """Check the hub, your key, the clock, your clients, git and the runner's files; exit code 1 when one is wrong."""
    console = Console(soft_wrap=True, highlight=False)
    findings = asyncio.run(examine(find_places(), url, os.environ.get("PRICKLE_TOKEN"), otherwise=DEFAULT_URL))
    for finding in findings:
        console.print(_line(finding))
    if any(finding.state == "ill" for finding in findings):
        raise typer.Exit(1)


def _line(finding: Finding) -> Text:
    return Text.from_markup(f"{MARKS[finding.state]} ").append(f"{finding.about}: {finding.text}")
