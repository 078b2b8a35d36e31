"""What the hub adds to the `prickle` command: a file per noun."""

from __future__ import annotations

import typer

from libs.runtime.commands.backups import backup, restore_backup
from libs.runtime.commands.hub import demo, up
from libs.runtime.commands.migrate import migrate
from libs.runtime.commands.serving import serve_one
from libs.runtime.commands.tools import tools


def register(app: typer.Typer) -> None:
    """Add the hub's commands."""
    app.command("up")(up)
    app.command("serve")(serve_one)
    app.command("migrate")(migrate)
    app.command("demo")(demo)
    app.command("tools")(tools)
    app.command("backup")(backup)
    app.command("restore")(restore_backup)
