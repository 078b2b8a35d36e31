"""The tools that agents can call: `tools`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from libs.contracts.markdown import reference_page
from libs.contracts.tools import TOOLS
from libs.runtime.commands.screen import console, fail


def tools(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="One tool; all of them by default.")] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="The whole reference page.")] = False,
) -> None:
    """The tools that agents can call."""
    if name is not None and name not in TOOLS:
        fail("there is no such tool; `prickle tools` lists them")
    for tool in [TOOLS[name]] if name else TOOLS.values():
        if markdown:
            sys.stdout.write(reference_page(tool) + "\n")
        else:
            console.print(f"{tool.name:<22} {tool.title}")
