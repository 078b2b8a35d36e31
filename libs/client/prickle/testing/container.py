"""A whole hub in one container."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

from docker.errors import DockerException  # type: ignore[import-untyped]
from testcontainers.core.container import DockerContainer
from testcontainers.core.wait_strategies import WaitStrategy
from testcontainers.core.waiting_utils import WaitStrategyTarget

from prickle.access import mcp_url
from prickle.testing.handing_out import HandsOut
from prickle.testing.readiness import CannotStart, last_line, wait_until_ready

IMAGE = "prickle:latest"
PORT = 8400
CONFINED: dict[str, Any] = {
    "init": True,
    "read_only": True,
    "cap_drop": ["ALL"],
    "security_opt": ["no-new-privileges"],
    "mounts": [{"Type": "volume", "Target": "/data"}, {"Type": "tmpfs", "Target": "/tmp"}],
}
RUNNING = ("created", "running")


class PrickleContainer(HandsOut, DockerContainer):
    """An empty hub on a free port, with embedded Valkey and SQLite files on a volume that goes with the container.

    `with` starts it and removes it; it is ready when the block begins. The image is the given one, or that of
    `PRICKLE_IMAGE`, or `prickle:latest`. Everything else is as with every `DockerContainer`.
    """

    def __init__(self, image: str | None = None, **kwargs: Any) -> None:
        with _docker_is_there():
            DockerContainer.__init__(self, image or os.environ.get("PRICKLE_IMAGE") or IMAGE, **(CONFINED | kwargs))
        self.with_exposed_ports(PORT).waiting_for(Ready())
        self.with_settings(allowed_hosts=["*"])

    def with_settings(self, **settings: Any) -> Self:
        """Settings of the hub, by the names of its settings: `claim_seconds=2`, `log_level="debug"`."""
        return self.with_envs(**{f"PRICKLE_{name.upper()}": _written(value) for name, value in settings.items()})

    def start(self) -> Self:
        """Start it and wait until it is ready; raises `CannotStart`."""
        self._tokens.clear()
        try:
            return super().start()
        except DockerException as error:
            raise CannotStart(
                f"Build the image {self.image} or name another in PRICKLE_IMAGE; Docker said: {last_line(str(error))}"
            ) from None

    @property
    def root(self) -> str:
        """The hub without a path, as this machine reaches it."""
        return f"http://{self.get_container_host_ip()}:{self.get_exposed_port(PORT)}"

    @property
    def url(self) -> str:
        """Where agents connect, and people at the same host and port."""
        return mcp_url(self.root)

    @property
    def operator_token(self) -> str:
        """The token of the hub's operator, made by the hub; it is in no environment, so `docker inspect` has none."""
        return self.exec(["cat", "/data/operator.token"]).output.decode().strip()


class Ready(WaitStrategy):
    """Waits until the hub in a container is ready; raises `CannotStart`."""

    def wait_until_ready(self, container: WaitStrategyTarget) -> None:
        """Wait for it, and no longer when the container has ended."""
        root = f"http://{container.get_container_host_ip()}:{container.get_exposed_port(PORT)}"
        wait_until_ready(root, lambda: _last_words(container), self._startup_timeout)


def _last_words(container: WaitStrategyTarget) -> str | None:
    container.reload()
    if container.status in RUNNING:
        return None
    said, complained = container.get_logs()
    return last_line((said + complained).decode())


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


@contextmanager
def _docker_is_there() -> Iterator[None]:
    try:
        yield
    except DockerException:
        raise CannotStart("Start Docker, or say in DOCKER_HOST where it is: no engine answers.") from None
