"""The lock on a data directory: one installation at a time, and none beside the children of a dead one."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

LEFTOVERS_SECONDS = 20.0
HALF_RESTORED = "restore.unfinished"


class CannotStart(RuntimeError):
    """Why an installation does not start, in one sentence for people."""


class DirectoryInUse(CannotStart):
    """Another installation runs on the directory."""


class DirectoryLock:
    """Two locks (R44): an installation holds the one itself, so it is free as soon as it ends, however it ends.

    It shares the other with its children, so this one is free when the last of them has ended.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._own: IO[str] | None = None
        self._shared: IO[str] | None = None

    @property
    def descriptor(self) -> int:
        """What children must inherit."""
        assert self._shared is not None
        return self._shared.fileno()

    def take(self) -> None:
        """Take the lock, once the children of a dead installation are gone; raises `CannotStart`."""
        try:
            self._open()
        except OSError as error:
            raise CannotStart(
                f"cannot keep data in {self.directory}: {error.strerror}; name another --data-dir"
            ) from error
        if not self._taken():
            raise DirectoryInUse(f"{self.directory} is used by a running hub; stop that one or name another --data-dir")

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the lock while the block lasts; raises `CannotStart`."""
        self.take()
        try:
            yield
        finally:
            self.release()

    def _open(self) -> None:
        """Open the locks, in a new directory if need be; what is kept there belongs to nobody's repository."""
        if not self.directory.exists():
            self.directory.mkdir(mode=0o700, parents=True)
            (self.directory / ".gitignore").write_text("*\n")
        self._own = (self.directory / "installation.lock").open("a")
        self._shared = (self.directory / "children.lock").open("a")

    def _taken(self) -> bool:
        deadline = time.monotonic() + LEFTOVERS_SECONDS
        held = _locked(self._own)
        while held and not _locked(self._shared):
            held = time.monotonic() < deadline
            time.sleep(0.05)
        return held

    def release(self) -> None:
        """Let go; the children have ended."""
        for file in (self._own, self._shared):
            if file is not None:
                file.close()


def _locked(file: IO[str] | None) -> bool:
    assert file is not None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


@contextmanager
def half_restored(directory: Path) -> Iterator[None]:
    """While the block lasts, and for good if it does not end well, nothing may start on the directory."""
    mark = directory / HALF_RESTORED
    mark.touch()
    yield
    mark.unlink()


def check_whole(directory: Path) -> None:
    """Raise `CannotStart` when the databases in a directory are in part those of a backup."""
    if (directory / HALF_RESTORED).exists():
        raise CannotStart(f"a restore into {directory} did not come to its end; run `prickle restore` again")
