"""What tests of the bus share: mailboxes without a bus around them, parcels, a Valkey of their own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from libs.runtime.valkey import EmbeddedValkey, free_port
from tests.bus.parcels import FAILURES, SEEN
from tests.bus.post_office import PostOffice, opened_post_office


@pytest.fixture
async def post_office(database_url: str) -> AsyncIterator[PostOffice]:
    """Mailboxes on SQLite and on PostgreSQL."""
    async with opened_post_office(database_url) as office:
        yield office


@pytest.fixture
def nothing_seen() -> Iterator[None]:
    """No parcel was seen yet, and no event fails but those that a test says."""
    SEEN.clear()
    FAILURES.clear()
    yield
    FAILURES.clear()


@pytest.fixture
def own_valkey(tmp_path: Path) -> Iterator[EmbeddedValkey]:
    """A Valkey server that a test may kill, flush and start again."""
    server = EmbeddedValkey(tmp_path / "valkey", free_port(), fsync="always")
    server.start()
    yield server
    server.stop()
