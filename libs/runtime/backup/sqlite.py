"""SQLite: copies of all files as of one moment, and their way back."""

from __future__ import annotations

import shutil
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from sqlalchemy import URL, Update, create_engine
from sqlalchemy.exc import SQLAlchemyError

from libs.runtime.backup.files import copy, new_file, settle
from libs.runtime.backup.manifest import BackupError, KeptDatabase, file_names
from libs.runtime.directory_lock import half_restored
from libs.runtime.serving import SERVICES
from libs.runtime.settings import Settings

BUSY_SECONDS = 30.0
HOLD_SECONDS = 1.0
PAUSE_SECONDS = 0.1
POLL_SECONDS = 0.0005
BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
ASIDE = ("-wal", "-shm", "-journal")
STAGE = ".restore"

Connection = sqlite3.Connection


def files_of(settings: Settings) -> dict[str, Path]:
    """Per database its file."""
    return {name: settings.data_dir.absolute() / f"{name}.db" for name in SERVICES}


def copy_files(settings: Settings, folder: Path) -> dict[str, KeptDatabase]:
    """Copy all databases as of one moment; writers wait for milliseconds. Raises `BackupError`."""
    files, names = files_of(settings), file_names("sqlite")
    missing = [path for path in files.values() if not path.exists()]
    if missing:
        raise BackupError(f"there is no whole hub in {settings.data_dir}; name the --data-dir of one")
    try:
        with seen_at_once(files) as views:
            return {name: _copied(view, folder / names[name]) for name, view in views.items()}
    except sqlite3.Error as error:
        raise BackupError(f"cannot copy the databases in {settings.data_dir}: {error}") from error


@contextmanager
def seen_at_once(files: Mapping[str, Path]) -> Iterator[dict[str, Connection]]:
    """Connections that go on seeing all files as of one moment at which nobody wrote to any of them."""
    with ExitStack() as stack:
        views = {name: stack.enter_context(closing(_connected(path))) for name, path in files.items()}
        with _no_writers(list(files.values())):
            for view in views.values():
                view.execute("BEGIN")
                view.execute("SELECT count(*) FROM sqlite_master").fetchone()
        yield views


@contextmanager
def _no_writers(files: Sequence[Path]) -> Iterator[None]:
    deadline = time.monotonic() + BUSY_SECONDS
    with ExitStack() as stack:
        connections = [stack.enter_context(closing(_connected(path, timeout=0))) for path in files]
        while not _all_locked(connections):
            if time.monotonic() > deadline:
                raise BackupError("the databases are too busy; try again in a minute")
            time.sleep(PAUSE_SECONDS)
        yield


def _all_locked(connections: Sequence[Connection]) -> bool:
    """Take the place of the writer in all files, or after a while in none: writers wait for us."""
    deadline = time.monotonic() + HOLD_SECONDS
    for connection in connections:
        while not _locked(connection):
            if time.monotonic() > deadline:
                for taken in connections:
                    taken.rollback()
                return False
            time.sleep(POLL_SECONDS)
    return True


def _locked(connection: Connection) -> bool:
    try:
        connection.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode not in BUSY:
            raise
        return False
    return True


def _connected(path: Path, timeout: float = 5.0) -> Connection:
    """A connection to a file that is there."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=timeout, isolation_level=None)


def _copied(view: Connection, path: Path) -> KeptDatabase:
    """Copy what a connection sees into one file without companions, and look whether it is sound."""
    with closing(_connected(new_file(path))) as target:
        view.backup(target)
        target.execute("PRAGMA journal_mode=DELETE")
        found = target.execute("PRAGMA quick_check(1)").fetchone()[0]
        if found != "ok":
            raise BackupError(f"{path.name} of the hub is damaged; restore an older backup")
        return _contents(target, path.name)


def _contents(connection: Connection, file: str) -> KeptDatabase:
    named = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
    tables = [name for (name,) in connection.execute(named)]
    rows = {name: connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in tables}
    known = (
        connection.execute("SELECT version_num FROM alembic_version").fetchone() if "alembic_version" in rows else None
    )
    return KeptDatabase(file=file, revision=known[0] if known else None, rows=rows)


def check_free(settings: Settings, *, replace: bool) -> None:
    """Raise `BackupError` when the files are open elsewhere, or hold data that nobody said to replace."""
    present = [path for path in files_of(settings).values() if path.exists()]
    if present and not replace:
        raise BackupError(f"{settings.data_dir} holds the data of a hub; --replace gives that up for the backup")
    for path in present:
        if _in_use(path):
            raise BackupError(f"{path} is open in another process; stop the hub first")


def _in_use(path: Path) -> bool:
    """Whether another process has a file open: nobody else may have when SQLite ends its write-ahead log."""
    try:
        with closing(_connected(path, timeout=0)) as connection:
            connection.execute("PRAGMA journal_mode=DELETE")
    except sqlite3.OperationalError as error:
        return error.sqlite_errorcode in BUSY
    except sqlite3.DatabaseError:
        return False
    return False


def put_files_back(settings: Settings, source: Path, changes: Mapping[str, Sequence[Update]]) -> None:
    """Put the files of a backup in the place of the hub's, all with the changes of their new life."""
    files, names = files_of(settings), file_names("sqlite")
    stage = settings.data_dir.absolute() / STAGE
    shutil.rmtree(stage, ignore_errors=True)
    stage.mkdir(mode=0o700)
    for name in files:
        copy(source / names[name], stage / names[name])
        _change(stage / names[name], changes[name])
    with half_restored(settings.data_dir):
        for name, path in files.items():
            for ending in ASIDE:
                path.with_name(path.name + ending).unlink(missing_ok=True)
            (stage / names[name]).replace(path)
        settle(settings.data_dir)
    stage.rmdir()


def _change(path: Path, statements: Sequence[Update]) -> None:
    engine = create_engine(URL.create("sqlite", database=str(path)))
    try:
        with engine.begin() as connection:
            for statement in statements:
                connection.execute(statement)
    except SQLAlchemyError as error:
        raise BackupError(f"{path.name} of the backup is damaged; restore from another backup") from error
    engine.dispose()
    settle(path)
