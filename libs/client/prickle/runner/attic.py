"""What is kept of runs that failed: few, and bounded on disk."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Container
from pathlib import Path

from prickle.runner.machine import Machine
from prickle.runner.worktrees import remove

GIGABYTE = 1024**3
RUN_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""Nothing else is ever removed: worktrees may be made in a directory of the owner's."""


async def tidy(machine: Machine, running: Container[str]) -> None:
    """Remove what is kept beyond the configuration's bounds, the oldest first."""
    kept = [run_id for run_id in _by_age(machine) if run_id not in running]
    for run_id in kept:
        machine.files(run_id).forget_token()
    sizes = {run_id: await asyncio.to_thread(_size, machine, run_id) for run_id in kept}
    room = machine.configuration.kept_gigabytes * GIGABYTE
    while kept and (len(kept) > machine.configuration.kept_runs or sum(sizes[run_id] for run_id in kept) > room):
        await discard(machine, kept.pop(0))


async def discard(machine: Machine, run_id: str) -> None:
    """Remove all that a run left on disk."""
    await remove(machine.work(run_id))
    await asyncio.to_thread(machine.files(run_id).remove)


def _by_age(machine: Machine) -> list[str]:
    parents = (machine.worktrees, machine.places.runs)
    known = {path.name for parent in parents for path in _entries(parent) if RUN_ID.fullmatch(path.name)}
    return sorted(known, key=lambda run_id: _changed(machine, run_id))


def _entries(parent: Path) -> list[Path]:
    return list(parent.iterdir()) if parent.is_dir() else []


def _changed(machine: Machine, run_id: str) -> float:
    places = (machine.files(run_id).directory, machine.work(run_id))
    return max((path.stat().st_mtime for path in places if path.exists()), default=0.0)


def _size(machine: Machine, run_id: str) -> int:
    total = 0
    for place in (machine.files(run_id).directory, machine.work(run_id)):
        for directory, _, names in os.walk(place):
            total += sum(_blocks(os.path.join(directory, name)) for name in names)
    return total


def _blocks(path: str) -> int:
    try:
        return os.lstat(path).st_size
    except OSError:
        return 0
