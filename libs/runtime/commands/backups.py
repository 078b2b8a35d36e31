"""Keeping a hub: `backup` and `restore`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from libs.runtime.backup import BackupError, Manifest, restore, take
from libs.runtime.commands.options import DatabaseUrl, DataDir, RedisUrl, given
from libs.runtime.commands.screen import console, fail, settings_given
from libs.runtime.directory_lock import CannotStart

Target = Annotated[Path, typer.Argument(metavar="TARGET", help="A directory that is new or empty.")]
Source = Annotated[Path, typer.Argument(metavar="SOURCE", help="The directory of a backup.")]
Replace = Annotated[bool, typer.Option("--replace", help="Give up the data that is there now.")]


def backup(target: Target, data_dir: DataDir = None, database_url: DatabaseUrl = None) -> None:
    """Write all databases of a hub, as of one moment, into a directory; the hub may go on running."""
    settings = settings_given(**given(data_dir=data_dir, database_url=database_url))
    with _explained():
        manifest = take(settings, target)
    console.print(f"{_told(manifest)} is in {target}. The operator's token is not in it: keep that file yourself.")


def restore_backup(
    source: Source,
    data_dir: DataDir = None,
    redis_url: RedisUrl = None,
    database_url: DatabaseUrl = None,
    replace: Replace = False,
) -> None:
    """Put a backup in the place of the databases of a hub that is stopped, and empty its streams."""
    settings = settings_given(**given(data_dir=data_dir, redis_url=redis_url, database_url=database_url))
    with _explained():
        manifest = restore(settings, source, embedded="redis_url" not in settings.model_fields_set, replace=replace)
    console.print(f"{_told(manifest)} is restored. Start the hub; waits say `resync: true` once.")
    console.print("Revoke again what was revoked since.")


def _told(manifest: Manifest) -> str:
    rows = sum(count for database in manifest.databases.values() for count in database.rows.values())
    return f"The hub as of {manifest.made_at:%Y-%m-%d %H:%M:%S} UTC ({rows} rows, {manifest.kind})"


@contextmanager
def _explained() -> Iterator[None]:
    """What cannot be done is said in one sentence."""
    try:
        yield
    except (BackupError, CannotStart) as error:
        fail(str(error))
