"""A desk for each test."""

from __future__ import annotations

import pytest

from tests.harness import Hub
from tests.tasks.desk import Desk


@pytest.fixture
def desk(hub: Hub) -> Desk:
    """People and agents of this test alone."""
    return Desk(hub)
