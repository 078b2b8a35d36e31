"""A service as a process of its own, asked over its health port as a platform asks it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from libs.runtime.migrating import migrated
from libs.runtime.settings import load_settings
from libs.runtime.valkey import free_port
from tests.process_tree import wait_for
from tests.processes import stop

STOP_SECONDS = 20.0


@dataclass(frozen=True)
class Probed:
    """A running service and its health port."""

    process: subprocess.Popen[bytes]
    health_port: int
    port: int

    def ask(self, path: str) -> httpx.Response | None:
        """What the health port answers; None while nothing listens."""
        try:
            return httpx.get(f"http://127.0.0.1:{self.health_port}{path}", timeout=5)
        except httpx.TransportError:
            return None

    @property
    def alive(self) -> bool:
        """Whether it says that it is alive."""
        answer = self.ask("/healthz")
        return answer is not None and (answer.status_code, answer.json()) == (200, {"status": "alive"})

    @property
    def because(self) -> list[str] | None:
        """Why it says that it is not ready; nothing when it is ready, None while it says nothing."""
        answer = self.ask("/readyz")
        if answer is None:
            return None
        said: dict[str, Any] = answer.json()
        assert (answer.status_code, said["status"]) in ((200, "ready"), (503, "not ready"))
        return said.get("because", [])

    def check(self, *options: str) -> tuple[int, str]:
        """The container's health check: its exit code and what it complains."""
        return check(str(self.health_port), *options)

    def until_because(self, *reasons: str) -> None:
        """Wait until it gives these reasons for not being ready; none of them: until it is ready."""
        wait_for(lambda: self.because == list(reasons), seconds=40)


def check(port: str, *options: str) -> tuple[int, str]:
    """The exit code of the health check of whatever answers on a port, and what it complains."""
    line = [sys.executable, "-m", "libs.runtime.health", *options]
    ended = subprocess.run(line, env=os.environ | {"PRICKLE_HEALTH_PORT": port}, capture_output=True, text=True)
    assert ended.stdout == ""
    return ended.returncode, ended.stderr


@contextmanager
def probed(service: str, directory: Path, redis_url: str, **variables: str) -> Iterator[Probed]:
    """Start a service with a health port, on files that it finds migrated; stopped as a platform does it."""
    health_port, port = free_port(), free_port()
    own = {
        "PRICKLE_REDIS_URL": redis_url,
        "PRICKLE_DATA_DIR": str(directory),
        "PRICKLE_PORT": str(port),
        "PRICKLE_HEALTH_PORT": str(health_port),
    }
    list(migrated([service], load_settings(data_dir=directory)))
    with (directory / f"{service}.log").open("wb") as log:
        line = [sys.executable, "-m", "libs.runtime", service]
        process = subprocess.Popen(line, env=os.environ | own | variables, stdout=log, stderr=log)
    try:
        yield Probed(process, health_port, port)
    finally:
        stop(process, signal.SIGTERM, STOP_SECONDS)
