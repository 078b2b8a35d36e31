"""The hub of compose.yaml at scale, and what Docker tells about its containers."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
from pathlib import Path
from typing import Any, Self

from prickle.testing import PrickleCompose

from tests.process_tree import wait_for

ROOT = Path(__file__).parents[3]
SECRETS = ROOT / "deploy" / "secrets"
HEALTHY_SECONDS = 90.0


class ContainerHub(PrickleCompose):
    """Two gateways on neighbouring ports, two replicas of tasks, and one of everything else."""

    def __init__(self, image: str) -> None:
        port = two_free_ports()
        super().__init__(ROOT, environment={"PRICKLE_IMAGE": image, "PRICKLE_PORTS": f"{port}-{port + 1}"})

    def start(self) -> Self:
        """Start one of each in order, then the others, and wait for all."""
        super().start()
        self.compose("up", "--detach", "--no-build", "--scale", "gateway=2", "--scale", "tasks=2")
        wait_for(lambda: self.healthy("gateway"), HEALTHY_SECONDS)
        return self

    def names(self) -> list[str]:
        """The project's containers."""
        return docker("ps", "--all", "--filter", self._project, "--format", "{{.Names}}").split()

    def volumes(self) -> list[str]:
        """The project's volumes."""
        return docker("volume", "ls", "--quiet", "--filter", self._project).split()

    @property
    def _project(self) -> str:
        return f"label=com.docker.compose.project={self.project_name}"

    def said(self, name: str) -> str:
        """The last lines of a container's log."""
        done = subprocess.run(["docker", "logs", "--tail", "20", name], capture_output=True, text=True)
        return f"\n--- {name}\n{done.stdout}{done.stderr}"

    def containers(self, service: str) -> list[dict[str, Any]]:
        """What Docker knows about the containers of a service."""
        of_service = f"label=com.docker.compose.service={service}"
        found = docker("ps", "--all", "--quiet", "--filter", self._project, "--filter", of_service).split()
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
