"""What the processes of this machine use, as Linux counts it."""

from __future__ import annotations

import asyncio
import platform
import resource
import time
from collections.abc import Collection
from pathlib import Path

OPEN_FILES = 20_000
QUIET_SHARE = 0.15
PATIENCE_SECONDS = 60.0


def raise_file_limit() -> None:
    """Allow this process and its children a connection per wait; raises ValueError where the machine does not."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if most == resource.RLIM_INFINITY else max(OPEN_FILES, most)
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, wanted))


def memory(pid: int) -> int:
    """The resident memory of a process in bytes."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def cpu_seconds(pid: int) -> float:
    """The time that all threads of a process have spent on a processor."""
    threads = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9


async def settle(pids: Collection[int]) -> None:
    """Wait until processes have worked off what they were given: they are idle for a second."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        before, started = sum(map(cpu_seconds, pids)), time.monotonic()
        await asyncio.sleep(1.0)
        if sum(map(cpu_seconds, pids)) - before < QUIET_SHARE * (time.monotonic() - started):
            return
    raise TimeoutError("The hub did not come to rest.")


def machine() -> str:
    """The machine in one line: figures mean little without it."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{models[0] if models else platform.machine()}, {len(models)} cores, Python {platform.python_version()}"
