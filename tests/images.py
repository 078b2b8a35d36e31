"""The image of the hub that tests start containers of."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest


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
