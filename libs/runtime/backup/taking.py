"""Making a backup, beside a hub that goes on or of one that is stopped."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

from libs.runtime.backup.files import settle
from libs.runtime.backup.manifest import MANIFEST, BackupError, KeptFile, Kind, Manifest
from libs.runtime.backup.postgres import dump_schemas
from libs.runtime.backup.sqlite import copy_files
from libs.runtime.directory_lock import check_whole
from libs.runtime.installation import write_private
from libs.runtime.service import utc_now
from libs.runtime.settings import Settings


def take(settings: Settings, target: Path) -> Manifest:
    """Write all databases, as of one moment, into a directory that is new or empty; raises `BackupError`.

    It appears under its name once it is whole, readable by its owner only.
    """
    with _new_directory(target.absolute()) as folder:
        return _write(settings, folder)


def _write(settings: Settings, folder: Path) -> Manifest:
    made_at = utc_now()
    kind: Kind = "postgresql" if settings.database_url else "sqlite"
    if kind == "sqlite":
        check_whole(settings.data_dir)
    databases = dump_schemas(settings.database_url, folder) if settings.database_url else copy_files(settings, folder)
    manifest = Manifest(
        made_at=made_at,
        product=version("prickle-hub"),
        kind=kind,
        databases=databases,
        files={path.name: KeptFile.of(path) for path in sorted(folder.iterdir())},
    )
    write_private(folder / MANIFEST, manifest.model_dump_json(indent=2) + "\n")
    return manifest


@contextmanager
def _new_directory(target: Path) -> Iterator[Path]:
    """A directory under another name that takes its own when the block ends well, else it is removed."""
    draft = target.parent / f".{target.name}.{os.getpid()}"
    try:
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise BackupError(f"{target} is there already; name a directory that is new or empty")
        draft.mkdir(mode=0o700, parents=True)
        yield draft
        settle(draft)
        draft.replace(target)
        settle(target.parent)
    except OSError as error:
        raise BackupError(f"cannot write to {target}: {error.strerror}; name another directory") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)
