"""Programs of agents: started behind a gate, watched by pid and start time, ended as a group.

The gate closes the gap between starting a program and writing its pid down: a shell that waits for one line becomes
the program only when that line comes, and goes when its runner dies before.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

POLL_SECONDS = 0.5
GATE = 'read -r go || exit 127; exec "$@" <"$0"'


class Watched(Protocol):
    """A program that can be waited for and signalled."""

    async def wait(self) -> int | None:
        """Its exit code, negative for a signal; None when nobody saw it."""

    def signal(self, number: signal.Signals) -> None:
        """Send it and its children a signal, if they are there."""


@dataclass(frozen=True)
class Identity:
    """A process among all that this machine has had."""

    pid: int
    started: str

    @property
    def alive(self) -> bool:
        """Whether it still runs; a zombie does not."""
        return _start_time(self.pid) == self.started


class Program:
    """A program that this runner started."""

    def __init__(self, process: asyncio.subprocess.Process, gate: int) -> None:
        self._process, self._gate = process, gate
        self.identity = Identity(process.pid, _start_time(process.pid) or "")

    def let_go(self) -> None:
        """Open the gate: now it begins."""
        with suppress(BrokenPipeError):
            os.write(self._gate, b"go\n")
        os.close(self._gate)

    async def wait(self) -> int | None:
        return await self._process.wait()

    def signal(self, number: signal.Signals) -> None:
        _signal_group(self.identity.pid, number)


class Orphan:
    """A program that a former runner started: its end can be seen, its exit code cannot."""

    def __init__(self, identity: Identity) -> None:
        self.identity = identity

    async def wait(self) -> int | None:
        while self.identity.alive:  # noqa: ASYNC110 - nothing tells of the end of a process that is not one's child
            await asyncio.sleep(POLL_SECONDS)
        return None

    def signal(self, number: signal.Signals) -> None:
        """As long as it is itself: its pid may be another's by now."""
        if self.identity.alive:
            _signal_group(self.identity.pid, number)


async def start(
    argv: Sequence[str], *, directory: Path, environment: Mapping[str, str], stdin: Path, stdout: Path, stderr: Path
) -> Program:
    """Start a program behind its gate, in a group of its own; what it prints goes to files of mode 0600."""
    reading, writing = os.pipe()
    try:
        with _private(stdout) as out, _private(stderr) as err:
            process = await asyncio.create_subprocess_exec(
                *("/bin/sh", "-c", GATE, str(stdin), *argv),
                cwd=directory,
                env=dict(environment),
                stdin=reading,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
    except BaseException:
        os.close(writing)
        raise
    finally:
        os.close(reading)
    return Program(process, writing)


def _private(path: Path) -> BinaryIO:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb")


def _signal_group(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


def _start_time(pid: int) -> str | None:
    """When a process started, in the words of this system; None when it does not run."""
    if Path("/proc/self/stat").exists():
        return _from_proc(Path(f"/proc/{pid}/stat"))
    asked = subprocess.run(["ps", "-o", "stat=,lstart=", "-p", str(pid)], capture_output=True, text=True, check=False)
    state, _, began = asked.stdout.strip().partition(" ")
    return None if asked.returncode or state.startswith("Z") else began.strip()


def _from_proc(path: Path) -> str | None:
    try:
        state, *fields = path.read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if state in ("Z", "X") else fields[18]
