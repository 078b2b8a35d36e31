"""The image by itself: a whole hub in one container, which starts, stops and holds no more than it needs."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest

from tests.harness import until
from tests.system.containers.hub import HEALTHY_SECONDS, docker, inspect

CONTAINED = ("--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL", "--security-opt", "no-new-privileges")
STOP_SECONDS = "30"
SEARCH = """
for tool in pip pip3 gcc cc make git curl; do command -v $tool; done
find / -xdev -type d \\( -name pip -o -name ensurepip -o -name setuptools \\) 2>/dev/null || true
"""


@pytest.fixture
def alone(image: str) -> Iterator[str]:
    """A container of the image with nothing but a volume; its id."""
    container = docker("run", "--detach", *CONTAINED, "--volume", "/data", image).strip()
    yield container
    docker("rm", "--force", "--volumes", container)


async def test_a_container_is_a_whole_hub_and_stops_in_order(alone: str) -> None:
    await until(lambda: inspect(alone)[0]["State"]["Health"]["Status"] == "healthy", seconds=HEALTHY_SECONDS)
    await until(lambda: "Prickle is up" in docker("logs", alone))
    docker("stop", "--time", STOP_SECONDS, alone)
    assert inspect(alone)[0]["State"]["ExitCode"] == 0
    assert "Stopping" in docker("logs", alone)


def test_nothing_can_be_installed_into_the_hub_or_built_there(image: str) -> None:
    found = subprocess.run(
        ["docker", "run", "--rm", "--entrypoint", "sh", image, "-c", SEARCH], capture_output=True, text=True, check=True
    )
    assert found.stdout == ""
