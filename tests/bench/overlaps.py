"""(e) What it takes to find the intents that overlap with a new one among 500 in one project (R30)."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from libs.bus.execution import Executor
from libs.bus.tables import BUS_TABLES
from libs.contracts.policy import Policy
from libs.contracts.pulse import DeclaredIntent
from libs.storage import Database
from services.pulse.domain import Intent, PulseTable
from services.pulse.handlers.intents import overlapping
from tests.bench.report import Figure
from tests.tables import make_tables

INTENTS, CHECKS, TARGET_MS = 500, 50, 5.0
PROJECT = "website-v2"


def measure() -> list[Figure]:
    """Look for overlaps with intents of 500 others, which are read from their database."""
    checks = asyncio.run(_checks())
    took, cpu = (median(milliseconds) for milliseconds in zip(*checks, strict=True))
    figure = f"{took:.1f} ms, of which {cpu:.1f} ms CPU (median of {CHECKS})"
    return [Figure(f"(e) overlaps among {INTENTS} intents", figure, f"< {TARGET_MS:.0f} ms", took < TARGET_MS)]


async def _checks() -> list[tuple[float, float]]:
    async with _pulse() as executor:
        async with executor.begin() as work:
            work.session.add_all(
                Intent.declared(f"maya/agent{number}", PROJECT, _said(number), work.now) for number in range(INTENTS)
            )
        return [await _check(executor, number) for number in range(CHECKS)]


def _said(number: int) -> DeclaredIntent:
    """Two files, a folder, a glob and an area."""
    folder = f"services/part{number % 50}/module{number}"
    paths = [f"{folder}/app.py", f"{folder}/store.py", f"docs/topic{number}/", f"{folder}/tests/**/*.py"]
    return DeclaredIntent(kind="change", paths=paths, areas=[f"area-{number}"])


async def _check(executor: Executor, number: int) -> tuple[float, float]:
    """The milliseconds that looking for overlaps takes, by the clock and of CPU."""
    async with executor.begin() as work:
        intent = Intent.declared("jonas/claude", PROJECT, _said(number), work.now)
        clock, cpu = time.perf_counter(), time.process_time()
        found = [intent.overlap_with(other) for other in await overlapping(intent, work)]
        taken = 1000 * (time.perf_counter() - clock), 1000 * (time.process_time() - cpu)
    assert len(found) == 1
    return taken


@asynccontextmanager
async def _pulse() -> AsyncIterator[Executor]:
    with tempfile.TemporaryDirectory() as directory:
        database = Database(f"sqlite+aiosqlite:///{Path(directory) / 'pulse.db'}")
        await database.open()
        await make_tables(database, [BUS_TABLES, PulseTable.metadata])
        yield Executor(database, Policy(), lambda: datetime.now(UTC), lambda committed: None)
        await database.close()
