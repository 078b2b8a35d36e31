"""The hub that the stories are played on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.processes import DemoHub, running_demo


@pytest.fixture(scope="session")
def demo_hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DemoHub]:
    """A real `prickle up --demo` that logs all it can."""
    with running_demo(tmp_path_factory.mktemp("demo"), PRICKLE_LOG_LEVEL="debug") as hub:
        yield hub
