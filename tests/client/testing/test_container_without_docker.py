"""What `PrickleContainer` asks of Docker, and says where there is none."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from prickle.testing import CannotStart, PrickleContainer


@pytest.fixture
def no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is asked."""
    monkeypatch.setattr("testcontainers.core.container.DockerClient", lambda **chosen: None)


@pytest.mark.parametrize(
    ("value", "written"), [(2.5, "2.5"), (True, "true"), ("debug", "debug"), (["a:*", "b"], '["a:*", "b"]')]
)
@pytest.mark.usefixtures("no_engine")
def test_a_setting_is_written_as_the_hub_reads_it(value: Any, written: str) -> None:
    assert PrickleContainer().with_settings(some_setting=value).env["PRICKLE_SOME_SETTING"] == written


@pytest.mark.usefixtures("no_engine")
def test_settings_can_be_given_twice_and_the_last_one_counts() -> None:
    container = PrickleContainer().with_settings(claim_seconds=1, allowed_hosts=[]).with_settings(claim_seconds=2)
    assert container.env == {"PRICKLE_CLAIM_SECONDS": "2", "PRICKLE_ALLOWED_HOSTS": "[]"}


@pytest.mark.parametrize(
    ("named", "environment", "image"),
    [("mine:1", "theirs:1", "mine:1"), (None, "theirs:1", "theirs:1"), (None, "", "prickle:latest")],
)
@pytest.mark.usefixtures("no_engine")
def test_the_image_is_the_named_one_or_that_of_the_environment_or_the_usual_one(
    monkeypatch: pytest.MonkeyPatch, named: str | None, environment: str, image: str
) -> None:
    monkeypatch.setenv("PRICKLE_IMAGE", environment)
    assert PrickleContainer(named).image == image


def test_without_docker_one_sentence_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    with pytest.raises(CannotStart, match=r"^Start Docker, or say in DOCKER_HOST where it is: no engine answers\.$"):
        PrickleContainer()


@pytest.mark.parametrize("missing", ["docker", "testcontainers"])
def test_without_the_extra_the_import_says_what_to_install(missing: str) -> None:
    line = f"import sys; sys.modules[{missing!r}] = None; import prickle.testing"
    done = subprocess.run([sys.executable, "-c", line], capture_output=True, text=True)
    assert done.stderr.splitlines()[-1] == f'ImportError: Install "prickle[testing]": {missing} is not there.'
