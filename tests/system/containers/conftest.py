"""A hub in containers, where the Docker engine and an image of the hub are at hand."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator

import pytest

from tests.system.containers.hub import COMPOSE, ContainerHub


def works(program: str, *words: str) -> bool:
    """Whether a command is there and ends well."""
    return shutil.which(program) is not None and not subprocess.run([program, *words], capture_output=True).returncode


@pytest.fixture(scope="session")
def image() -> str:
    """The image of this checkout; skips the test where there is none or no engine to run it."""
    if not works("docker", "info"):
        pytest.skip("no Docker engine answers here; the containers were not tested")
    if "PRICKLE_IMAGE" not in os.environ:
        pytest.skip("name an image of this checkout in PRICKLE_IMAGE to test the containers")
    return os.environ["PRICKLE_IMAGE"]


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
