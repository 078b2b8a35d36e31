"""Restoring a backup into an installation that is stopped."""

from __future__ import annotations

import shutil
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from redis import Redis
from redis.exceptions import RedisError

from libs.runtime.backup.manifest import BackupError, Manifest
from libs.runtime.backup.new_life import changes
from libs.runtime.backup.postgres import check_schemas, put_schemas_back
from libs.runtime.backup.sqlite import check_free, put_files_back
from libs.runtime.directory_lock import DirectoryLock
from libs.runtime.installation import check_redis
from libs.runtime.service import utc_now
from libs.runtime.settings import Settings

KEYS = "prickle:*"
KEYS_AT_ONCE = 500


def restore(settings: Settings, source: Path, *, embedded: bool, replace: bool) -> Manifest:
    """Put a backup in the place of an installation's databases; raises `BackupError` or `CannotStart`.

    Everything is checked before anything is changed; the streams are emptied first, which loses nothing (R43).
    `embedded` says whether Redis is the Valkey in the data directory.
    """
    manifest = Manifest.verified(source)
    _check_kind(manifest, settings)
    with _directory_of_our_own(settings, embedded):
        if settings.database_url:
            check_schemas(settings.database_url, replace=replace)
        else:
            check_free(settings, replace=replace)
        try:
            _forget_streams(settings, embedded)
            _put_back(settings, source, manifest)
        except OSError as error:
            raise BackupError(f"cannot write to {settings.data_dir}: {error.strerror}; restore again") from error
    return manifest


def _check_kind(manifest: Manifest, settings: Settings) -> None:
    if manifest.kind == "postgresql" and not settings.database_url:
        raise BackupError("this backup is one of PostgreSQL; name the database with --database-url")
    if manifest.kind == "sqlite" and settings.database_url:
        raise BackupError("this backup is one of SQLite files; leave --database-url and PRICKLE_DATABASE_URL out")


def _directory_of_our_own(settings: Settings, embedded: bool) -> AbstractContextManager[None]:
    """Nobody starts on the data directory meanwhile; one that is not needed is not made."""
    if settings.database_url and not (embedded and settings.data_dir.exists()):
        return nullcontext()
    return DirectoryLock(settings.data_dir.absolute()).held()


def _forget_streams(settings: Settings, embedded: bool) -> None:
    """What the former life left on its streams would be taken for news."""
    if not embedded:
        empty_streams(settings.redis_url)
    elif (kept := settings.data_dir / "valkey").exists():
        shutil.rmtree(kept)


def empty_streams(url: str) -> None:
    """Remove everything that is ours from a Redis; raises `CannotStart` or `BackupError`."""
    check_redis(url)
    try:
        with Redis.from_url(url) as client:
            keys = list(client.scan_iter(match=KEYS, count=KEYS_AT_ONCE))
            for start in range(0, len(keys), KEYS_AT_ONCE):
                client.unlink(*keys[start : start + KEYS_AT_ONCE])
    except RedisError as error:
        raise BackupError(f"Redis does not let us remove {KEYS}; name a user who may in --redis-url") from error


def _put_back(settings: Settings, source: Path, manifest: Manifest) -> None:
    told = changes(manifest.made_at, utc_now(), settings.policy)
    if settings.database_url:
        put_schemas_back(settings.database_url, source, told)
    else:
        put_files_back(settings, source, told)
