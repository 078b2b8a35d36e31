"""The hub of a checkout's compose.yaml."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Self

from prickle.access import mcp_url
from prickle.testing.handing_out import HandsOut
from prickle.testing.readiness import CannotStart, last_line, wait_until_ready

COMMAND_SECONDS = 600.0
STOP_SECONDS = "2"
GATEWAY = ("gateway", "8400")


class PrickleCompose(HandsOut):
    """Every service in a container of its own, with Redis and PostgreSQL, as a project of its own on a free port.

    `with` starts it and removes it with its volumes; it is ready when the block begins. Secrets that the checkout has
    not yet are made in it. `environment` goes to compose.yaml, which says what it takes: PRICKLE_IMAGE, PRICKLE_PORTS.
    """

    def __init__(self, directory: str | Path, *, build: bool = False, environment: Mapping[str, str] | None = None):
        self.directory = Path(directory)
        self.project_name = f"prickle-test-{secrets.token_hex(4)}"
        self._build = "--build" if build else "--no-build"
        self._environment = {"PRICKLE_PORTS": str(_free_port())} | dict(environment or {})

    def __enter__(self) -> Self:
        try:
            return self.start()
        except BaseException:
            self.stop()
            raise

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> Self:
        """Make the secrets, start everything in order and wait until the gateway is ready; raises `CannotStart`."""
        self._tokens.clear()
        self._run([str(self.directory / "deploy" / "secrets" / "create")])
        self.compose("up", "--detach", self._build)
        self.wait_until_ready()
        return self

    def wait_until_ready(self) -> None:
        """Wait until the gateway is ready, as after a restart; raises `CannotStart`."""
        wait_until_ready(self.root, lambda: None)

    def stop(self) -> None:
        """Remove containers, networks and volumes."""
        self.compose("down", "--volumes", "--timeout", STOP_SECONDS)

    def compose(self, *words: str) -> str:
        """What a command of Docker Compose for this project prints; raises `CannotStart`."""
        return self._run([*compose_command(), "--project-name", self.project_name, *words])

    @cached_property
    def root(self) -> str:
        """The first gateway without a path, as this machine reaches it."""
        return f"http://{self.compose('port', *GATEWAY).strip()}"

    @property
    def url(self) -> str:
        """Where agents connect, and people at the same host and port."""
        return mcp_url(self.root)

    @property
    def operator_token(self) -> str:
        """The token of the hub's operator, from the checkout's secrets."""
        return (self.directory / "deploy" / "secrets" / "operator.token").read_text().strip()

    def _run(self, line: list[str]) -> str:
        environment = os.environ | self._environment
        try:
            done = subprocess.run(
                line, cwd=self.directory, env=environment, capture_output=True, text=True, timeout=COMMAND_SECONDS
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise CannotStart(f"Name a checkout of the hub where this works: {error}") from None
        if done.returncode != 0:
            raise CannotStart(f"Mend what {' '.join(line)} complains of: {last_line(done.stderr)}")
        return done.stdout


def compose_command() -> list[str]:
    """Docker Compose as it is installed here, a part of `docker` or a program of its own; raises `CannotStart`."""
    if docker := shutil.which("docker"):
        plugin = [docker, "compose"]
        if subprocess.run([*plugin, "version"], capture_output=True).returncode == 0:
            return plugin
    if program := shutil.which("docker-compose"):
        return [program]
    raise CannotStart("Install Docker Compose: neither `docker compose` nor `docker-compose` works here.")


def _free_port() -> int:
    """One of our choice rather than Docker's: it stays the same when the gateway is restarted."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
