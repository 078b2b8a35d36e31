"""Fixtures that the tests of the client share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from structlog.testing import capture_logs


@pytest.fixture(autouse=True)
def quiet_hub() -> Iterator[None]:
    """Keep the log of the hub in this process out of what commands print."""
    with capture_logs():
        yield
