"""A post office for each test: mailboxes in a real database, without a bus around it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.bus.post_office import PostOffice, opened_post_office


@pytest.fixture
async def post_office(database_url: str) -> AsyncIterator[PostOffice]:
    """Mailboxes on SQLite and on PostgreSQL."""
    async with opened_post_office(database_url) as office:
        yield office
