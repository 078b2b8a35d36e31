"""The migrations of the services, and running them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from libs.runtime.directory_lock import CannotStart
from libs.runtime.settings import Settings
from libs.storage import CannotOpen, Database
from libs.storage.migrations import Migrated, migrate
from libs.storage.migrations import needed_revision as needed_of

MIGRATIONS = Path(__file__).parents[2] / "deploy" / "migrations"
"""Beside `libs`, in a checkout as in an installed wheel."""
OWNER_ONLY = 0o077
"""Files that are made on the way are for nobody else."""


def revisions_of(service: str) -> Path:
    """The folder of a service's revisions."""
    return MIGRATIONS / service / "versions"


def needed_revision(service: str) -> int:
    """What the tables of a service must have come to for the code that is here."""
    return needed_of(revisions_of(service))


def migrated(services: Iterable[str], settings: Settings) -> Iterator[tuple[str, Migrated]]:
    """Bring services' tables up one after the other, and tell of each; raises `CannotStart`."""
    for service in services:
        try:
            yield service, asyncio.run(_migrated(service, settings))
        except CannotOpen as error:
            raise CannotStart(str(error)) from error


async def _migrated(service: str, settings: Settings) -> Migrated:
    database = Database(settings.database_of(service), schema=service, pool_size=1, migrating=True)
    former = os.umask(OWNER_ONLY)
    try:
        await database.open()
        return await migrate(database, revisions_of(service))
    finally:
        os.umask(former)
        await database.close()
