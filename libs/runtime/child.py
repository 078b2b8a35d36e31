"""A process of ours: it ends when we do, is started again when it dies, and stops in order."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

STOP_SECONDS = 15.0
SHORT_LIFE_SECONDS = 10.0
FIRST_PAUSE_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 5.0
PARENT_DEATH_SIGNAL = 1


class Child(ABC):
    """One process with a log of its own; a dead one is started again (R44)."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        log: Path,
        *,
        environment: Mapping[str, str] | None = None,
        inherited: Sequence[int] = (),
    ) -> None:
        """`inherited` are descriptors that it shares with us; `environment` is ours by default."""
        self.name = name
        self.log = log
        self.process: subprocess.Popen[bytes] | None = None
        self.restarts = 0
        self._command = command
        self._environment = environment
        self._inherited = inherited
        self._started_at = 0.0
        self._pause = 0.0

    @abstractmethod
    def ready(self) -> bool:
        """Whether it does its work."""

    def spawn(self) -> None:
        """Start the process; Ctrl-C in our terminal does not reach it, our own end does. Its files are for us only."""
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                self._command,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                pass_fds=self._inherited,
                start_new_session=True,
                umask=0o077,
                preexec_fn=partial(die_with_parent, os.getpid()),
            )
        self._started_at = time.monotonic()

    @property
    def ending(self) -> str | None:
        """How it ended; None while it runs."""
        code = self.process.poll() if self.process is not None else None
        if code is None:
            return None
        return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"

    def revive(self) -> bool:
        """Start it again if it died, after a pause if it keeps dying young; whether it was started."""
        lived = time.monotonic() - self._started_at
        if self.ending is None or lived < self._pause:
            return False
        short = lived < SHORT_LIFE_SECONDS
        self._pause = min(LONGEST_PAUSE_SECONDS, max(FIRST_PAUSE_SECONDS, 2 * self._pause)) if short else 0.0
        self.restarts += 1
        self.spawn()
        return True

    def ask_to_stop(self) -> None:
        """Tell it to finish what it began."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)

    def stop(self) -> None:
        """Let it finish, then make it end."""
        self.ask_to_stop()
        if self.process is not None:
            try:
                self.process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.kill()

    def kill(self) -> None:
        """End it at once, as a crash would."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()


def die_with_parent(parent: int) -> None:
    """Let the kernel kill this process when its parent dies, however that happens (R44)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PARENT_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
