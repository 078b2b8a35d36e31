"""An installation on one machine: an embedded Valkey and the services as child processes."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import httpx2

from libs.runtime.directory_lock import DirectoryLock
from libs.runtime.serving import SERVICES
from libs.runtime.settings import Settings
from libs.runtime.valkey import EmbeddedValkey, die_with_parent, free_port

READY_SECONDS = 60.0
STOP_SECONDS = 15.0
POLL_SECONDS = 0.1
SHORT_LIFE_SECONDS = 10.0
LONGEST_PAUSE_SECONDS = 5.0


class PortTaken(RuntimeError):
    """Somebody else listens on the port."""


@dataclass
class Child:
    """One service's process; a dead one is started again (R44)."""

    service: str
    health_url: str
    environment: dict[str, str]
    lock: DirectoryLock
    log: Path
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    pause: float = 0.0

    def start(self) -> None:
        """Start the process; it ends when we do."""
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "libs.runtime", self.service],
                env={**os.environ, **self.environment},
                stdout=output,
                stderr=output,
                pass_fds=[self.lock.descriptor],
                start_new_session=True,
                preexec_fn=die_with_parent,
            )
        self.started_at = time.monotonic()

    def revive(self) -> bool:
        """Start it again if it died, the sooner the longer it had lived; whether it had died."""
        if self.process is None or self.process.poll() is None:
            return False
        lived = time.monotonic() - self.started_at
        if lived < self.pause:
            return True
        short = lived < SHORT_LIFE_SECONDS
        self.pause = min(LONGEST_PAUSE_SECONDS, max(0.5, 2 * self.pause)) if short else 0.0
        self.start()
        return True

    def ready(self) -> bool:
        """Whether it takes calls or commands."""
        try:
            return httpx2.get(self.health_url, timeout=1.0).status_code == 200
        except httpx2.HTTPError:
            return False

    def stop(self) -> None:
        """Ask it to finish, then make it."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@dataclass
class Installation:
    """Everything that `prickle up` runs."""

    settings: Settings
    embedded: bool = True
    """Whether Redis is the embedded Valkey rather than one of the settings' URL."""
    children: list[Child] = field(default_factory=list)
    valkey: EmbeddedValkey | None = None
    stopping: bool = False

    def __post_init__(self) -> None:
        self.directory = self.settings.data_dir.absolute()
        self.lock = DirectoryLock(self.directory)

    @property
    def url(self) -> str:
        """Where agents connect."""
        return f"{self.settings.address}/mcp"

    def start(self) -> None:
        """Start everything and wait until it is healthy; raises `DirectoryInUse`, `PortTaken` or RuntimeError."""
        self.lock.take()
        check_port(self.settings.host, self.settings.port)
        (self.directory / "logs").mkdir(exist_ok=True)
        if self.embedded:
            self._start_valkey()
        self.children = [self._child(service) for service in SERVICES]
        for child in self.children:
            child.start()
        self._wait_until_ready()

    def _start_valkey(self) -> None:
        self.valkey = EmbeddedValkey(self.directory / "valkey", free_port(), inherited=[self.lock.descriptor])
        self.valkey.start()

    def _child(self, service: str) -> Child:
        port = self.settings.port if service == "gateway" else free_port()
        environment = {
            "PRICKLE_REDIS_URL": self.valkey.url if self.valkey else self.settings.redis_url,
            "PRICKLE_DATABASE_URL": self.settings.database_url,
            "PRICKLE_DATA_DIR": str(self.directory),
            "PRICKLE_HOST": self.settings.host,
            "PRICKLE_PORT": str(self.settings.port),
            "PRICKLE_OPERATOR_TOKEN_FILE": str(self.operator_token_file()),
        }
        if service != "gateway":
            environment["PRICKLE_HEALTH_PORT"] = str(port)
        health = f"http://{self.settings.host}:{port}/readyz"
        return Child(service, health, environment, self.lock, self.directory / "logs" / f"{service}.log")

    def operator_token_file(self) -> Path:
        """The file with the operator's token, made at the first start and readable by its owner only."""
        path = self.settings.operator_token_file or self.directory / "operator.token"
        if not path.exists():
            write_private(path, f"prk_operator_{secrets.token_urlsafe(32)}\n")
        return path

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + READY_SECONDS
        waiting = list(self.children)
        while waiting and not self.stopping:
            if time.monotonic() > deadline:
                names = ", ".join(child.service for child in waiting)
                raise RuntimeError(f"{names} did not become healthy; see {self.directory / 'logs'}")
            self.revive()
            waiting = [child for child in waiting if not child.ready()]
            time.sleep(POLL_SECONDS)

    def revive(self) -> None:
        """Start again what died."""
        if self.valkey is not None and self.valkey.died:
            self.valkey.start()
        for child in self.children:
            child.revive()

    def run(self) -> None:
        """Keep everything running until `stopping` is set."""
        while not self.stopping:
            self.revive()
            time.sleep(POLL_SECONDS)

    def stop(self) -> None:
        """Stop the gateway, the services and Valkey, in this order: what was begun is finished."""
        for child in self.children:
            child.stop()
        if self.valkey is not None:
            self.valkey.stop()
        self.lock.release()


def check_port(host: str, port: int) -> None:
    """Raise `PortTaken` when somebody listens there."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise PortTaken(
                f"port {port} on {host} is taken; stop what listens there or name another --port"
            ) from error


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read, whole or not at all."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
    draft.replace(path)
