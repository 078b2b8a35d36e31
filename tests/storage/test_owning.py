"""A SQLite file belongs to one process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from libs.storage.database import DatabaseInUse
from tests.storage.things import names, opened

ROOT = Path(__file__).parents[2]
OWNER = """
import asyncio, sys
from tests.storage.things import opened
async def own():
    async with opened(sys.argv[1]):
        print("opened", flush=True)
        await asyncio.sleep(60)
asyncio.run(own())
"""


@contextmanager
def owner(url: str) -> Iterator[subprocess.Popen[str]]:
    """Another process that has the file open."""
    process = subprocess.Popen([sys.executable, "-c", OWNER, url], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "opened\n"
        yield process
    finally:
        process.kill()
        process.wait(10)
        process.stdout.close()


async def test_a_second_process_is_told_that_the_file_is_in_use(tmp_path: Path) -> None:
    url = f"sqlite+aiosqlite:///{tmp_path / 'things.db'}"
    with owner(url), pytest.raises(DatabaseInUse, match="stop that one first"):
        async with opened(url):
            pass


async def test_a_killed_process_leaves_its_file_to_the_next(tmp_path: Path) -> None:
    url = f"sqlite+aiosqlite:///{tmp_path / 'things.db'}"
    with owner(url) as process:
        process.kill()
        process.wait(10)
        async with opened(url) as database:
            assert await names(database) == set()
