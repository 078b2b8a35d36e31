"""One service: `serve`."""

from __future__ import annotations

from typing import Annotated

import typer

from libs.runtime.commands.screen import fail, settings_given
from libs.runtime.serving import SERVICES, serve


def serve_one(
    service: Annotated[str, typer.Argument(metavar="SERVICE", help=f"One of {', '.join(SERVICES)}.")],
) -> None:
    """Run one service until it is told to stop; its settings are PRICKLE_… variables."""
    if service not in SERVICES:
        fail(f"name one of {', '.join(SERVICES)}", code=2)
    serve(service, settings_given())
