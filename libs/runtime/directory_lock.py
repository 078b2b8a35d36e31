"""The lock on a data directory: held by an installation and all its children, however they end."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path
from typing import IO

LEFTOVERS_SECONDS = 20.0


class DirectoryInUse(RuntimeError):
    """Another installation runs on the directory."""


class DirectoryLock:
    """A lock that children inherit: after a crash it is free when the last of them has ended (R44)."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._file: IO[str] | None = None

    @property
    def descriptor(self) -> int:
        """What children must inherit."""
        assert self._file is not None
        return self._file.fileno()

    def take(self) -> None:
        """Take the lock, after the children of a dead installation are gone; raises `DirectoryInUse`."""
        self.directory.mkdir(parents=True, exist_ok=True)
        self._file = (self.directory / "installation.lock").open("a+")
        deadline = time.monotonic() + LEFTOVERS_SECONDS
        while not self._try():
            if self._holder_alive() or time.monotonic() > deadline:
                raise DirectoryInUse(f"{self.directory} is used by a running installation; stop it or name another one")
            time.sleep(0.1)
        self._write_holder()

    def _try(self) -> bool:
        try:
            fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def _holder_alive(self) -> bool:
        assert self._file is not None
        self._file.seek(0)
        text = self._file.read().strip()
        return text.isdigit() and Path(f"/proc/{text}").exists() if Path("/proc").exists() else True

    def _write_holder(self) -> None:
        assert self._file is not None
        self._file.truncate(0)
        self._file.write(str(os.getpid()))
        self._file.flush()

    def release(self) -> None:
        """Let go; the children have ended."""
        if self._file is not None:
            self._file.close()
