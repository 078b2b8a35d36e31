"""The hub of compose.yaml as one project of Docker."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.process_tree import wait_for

ROOT = Path(__file__).parents[3]
SECRETS = ROOT / "deploy" / "secrets"
COMPOSE = ("docker-compose",) if shutil.which("docker-compose") else ("docker", "compose")
COMMAND_SECONDS = 180.0
HEALTHY_SECONDS = 90.0


@dataclass(frozen=True)
class ContainerHub:
    """Containers of one project, with two neighbouring ports for gateways."""

    project: str
    port: int

    @staticmethod
    def new() -> ContainerHub:
        """A project that nobody else uses."""
        return ContainerHub(f"prickle-test-{secrets.token_hex(4)}", two_free_ports())

    def start(self) -> None:
        """Make the secrets, start everything in order and wait for it."""
        subprocess.run([SECRETS / "create"], check=True)
        self.compose("up", "--detach", "--no-build")
        self.compose("up", "--detach", "--no-build", "--scale", "gateway=2", "--scale", "tasks=2")
        wait_for(lambda: self.healthy("gateway"), HEALTHY_SECONDS)

    def remove(self) -> None:
        """Remove containers, networks and volumes."""
        self.compose("down", "--volumes", "--timeout", "2")

    def compose(self, *words: str) -> None:
        """Run Compose; what it and the containers say is shown when it fails."""
        line = [*COMPOSE, "--project-name", self.project, *words]
        ports = {"PRICKLE_PORTS": f"{self.port}-{self.port + 1}"}
        done = subprocess.run(
            line, cwd=ROOT, env=os.environ | ports, capture_output=True, text=True, timeout=COMMAND_SECONDS
        )
        assert done.returncode == 0, done.stderr + "".join(self.said(name) for name in self.names())

    def names(self) -> list[str]:
        """The project's containers."""
        label = f"label=com.docker.compose.project={self.project}"
        return docker("ps", "--all", "--filter", label, "--format", "{{.Names}}").split()

    def said(self, name: str) -> str:
        """The last lines of a container's log."""
        done = subprocess.run(["docker", "logs", "--tail", "20", name], capture_output=True, text=True)
        return f"\n--- {name}\n{done.stdout}{done.stderr}"

    def containers(self, service: str) -> list[dict[str, Any]]:
        """What Docker knows about the containers of a service."""
        labels = [f"label=com.docker.compose.{name}" for name in (f"project={self.project}", f"service={service}")]
        found = docker("ps", "--all", "--quiet", *(word for label in labels for word in ("--filter", label))).split()
        return sorted(inspect(*found), key=lambda one: str(one["Name"]))

    def urls(self) -> list[str]:
        """Where the gateways are published."""
        bound = [one["NetworkSettings"]["Ports"]["8400/tcp"][0] for one in self.containers("gateway")]
        return [f"http://127.0.0.1:{one['HostPort']}/mcp" for one in bound]

    def crash(self, service: str, number: int = 0) -> None:
        """Kill a container's process as a crash would, which Docker then starts again."""
        os.kill(self.containers(service)[number]["State"]["Pid"], signal.SIGKILL)

    def healthy(self, service: str) -> bool:
        """Whether all containers of a service are healthy."""
        return all(one["State"]["Health"]["Status"] == "healthy" for one in self.containers(service))


def docker(*words: str) -> str:
    """What a Docker command prints."""
    return subprocess.run(["docker", *words], check=True, capture_output=True, text=True, timeout=60).stdout


def inspect(*names: str) -> list[dict[str, Any]]:
    """Everything that Docker tells about containers to whoever may ask."""
    found: list[dict[str, Any]] = json.loads(docker("inspect", *names))
    return found


def two_free_ports() -> int:
    """The first of two neighbouring loopback ports that are free now."""
    for port in range(20000, 30000, 2):
        with socket.socket() as first, socket.socket() as second:
            try:
                first.bind(("127.0.0.1", port))
                second.bind(("127.0.0.1", port + 1))
            except OSError:
                continue
            return port
    raise RuntimeError("no two neighbouring ports are free")
