"""A hub in containers, where the Docker engine and an image of the hub are at hand."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.images import image, works
from tests.system.containers.hub import COMPOSE, ContainerHub

__all__ = ["image"]


@pytest.fixture(scope="package")
def containers(image: str) -> Iterator[ContainerHub]:
    """The hub of compose.yaml with fresh volumes, two gateways and two replicas of tasks; removed afterwards."""
    if not works(*COMPOSE, "version"):
        pytest.skip("Compose is not installed here; compose.yaml was not tested")
    hub = ContainerHub.new()
    try:
        hub.start()
        yield hub
    finally:
        hub.remove()
