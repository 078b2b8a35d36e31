"""The tables of the services: `migrate`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from libs.runtime.commands.options import DatabaseUrl, DataDir, given
from libs.runtime.commands.screen import console, fail, settings_given
from libs.runtime.directory_lock import CannotStart, DirectoryLock, check_whole
from libs.runtime.migrating import migrated
from libs.runtime.serving import SERVICES
from libs.runtime.settings import Settings
from libs.storage.migrations import Migrated


def migrate(
    services: Annotated[
        list[str] | None, typer.Argument(metavar="SERVICE", help=f"Of {', '.join(SERVICES)}; all by default.")
    ] = None,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Bring the tables to what this version needs, which `up` does by itself; harmless when nothing is to do.

    There is no way back: tables expand first and contract a release later, so the former version runs on them too.
    """
    if unknown := set(services or ()).difference(SERVICES):
        fail(f"there is no service {', '.join(sorted(unknown))}; name some of {', '.join(SERVICES)}", code=2)
    settings = settings_given(**given(data_dir=data_dir, database_url=database_url))
    try:
        with _place(settings):
            for service, done in migrated(services or SERVICES, settings):
                console.print(f"{service}: {_said(done)}")
    except CannotStart as error:
        fail(str(error))


@contextmanager
def _place(settings: Settings) -> Iterator[None]:
    """SQLite files are migrated while no hub runs on their directory."""
    if settings.database_url:
        yield
        return
    with DirectoryLock(settings.data_dir.absolute()).held():
        check_whole(settings.data_dir)
        yield


def _said(done: Migrated) -> str:
    if done.before == done.after:
        return f"at revision {done.after}, nothing to do"
    return f"from revision {done.before} to {done.after}" if done.before else f"made, at revision {done.after}"
