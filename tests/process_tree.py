"""Processes of this machine, by their ids: what a `prickle up` has started and whether it still runs."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

POLL_SECONDS = 0.02


def children(pid: int) -> dict[str, int]:
    """The processes that one has started, by service; the embedded broker is `valkey`."""
    found = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        child = int(status.parent.name)
        if _parent(child) == pid and (line := command_line(child)):
            found["valkey" if "valkey-server" in line[0] else line[-1]] = child
    return found


def command_line(pid: int) -> list[str]:
    """The arguments of a process; none when it has ended."""
    return _read(pid, "cmdline").rstrip("\0").split("\0") if is_running(pid) else []


def environment(pid: int) -> str:
    """The variables with which a process was started, NUL between them."""
    return _read(pid, "environ")


def is_running(pid: int) -> bool:
    """Whether a process exists and has not ended."""
    return _fields(pid)[:1] not in ([], ["Z"])


@contextmanager
def frozen(pid: int) -> Iterator[None]:
    """A process that stands still for a while."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def wait_for(condition: Callable[[], T], seconds: float = 30.0) -> T:
    """What a condition gives once it holds; fails after `seconds`."""
    deadline = time.monotonic() + seconds
    while not (held := condition()):
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(POLL_SECONDS)
    return held


def _parent(pid: int) -> int | None:
    fields = _fields(pid)
    return int(fields[1]) if fields else None


def _fields(pid: int) -> list[str]:
    """State, parent and so on: what stands behind the name in parentheses."""
    return _read(pid, "stat").rpartition(")")[2].split()


def _read(pid: int, name: str) -> str:
    try:
        return Path(f"/proc/{pid}/{name}").read_text(errors="replace")
    except OSError:
        return ""
