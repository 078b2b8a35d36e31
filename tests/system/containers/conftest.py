"""A hub in containers, where the Docker engine and an image of the hub are at hand."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from prickle.testing import CannotStart
from prickle.testing.compose import compose_command

from tests.images import image
from tests.system.containers.hub import ContainerHub

__all__ = ["image"]


@pytest.fixture(scope="package")
def containers(image: str) -> Iterator[ContainerHub]:
    """The hub of compose.yaml with fresh volumes; nothing of it is left afterwards."""
    try:
        compose_command()
    except CannotStart as reason:
        pytest.skip(f"{reason} compose.yaml was not tested")
    with ContainerHub(image) as hub:
        yield hub
    assert hub.names() == hub.volumes() == []
