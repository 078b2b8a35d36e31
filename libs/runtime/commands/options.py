"""Options that several commands of the hub share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

DataDir = Annotated[Path | None, typer.Option(file_okay=False, help="Where all data is kept.")]
RedisUrl = Annotated[str | None, typer.Option(help="Your Redis, in place of the embedded Valkey.")]
DatabaseUrl = Annotated[str | None, typer.Option(help="Your PostgreSQL, in place of SQLite files.")]


def given(**options: Any) -> dict[str, Any]:
    """The options that somebody gave; the settings say the others."""
    return {name: value for name, value in options.items() if value is not None}
