"""An installation on one machine: an embedded Valkey and the services as child processes."""

from __future__ import annotations

import os
import secrets
import socket
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import httpx2
from redis import Redis
from redis.exceptions import RedisError

from libs.runtime.child import Child
from libs.runtime.directory_lock import CannotStart, DirectoryLock, check_whole
from libs.runtime.listening import listen, local_url
from libs.runtime.migrating import migrated
from libs.runtime.serving import SERVICES
from libs.runtime.settings import Settings
from libs.runtime.valkey import EmbeddedValkey

READY_SECONDS = 60.0
REDIS_SECONDS = 5.0
POLL_SECONDS = 0.1
RESTARTS_AT_START = 2
KEPT_FROM_CHILDREN = ("PRICKLE_TOKEN", "PRICKLE_URL")


class ServiceProcess(Child):
    """One service; it answers on a socket that we opened, and we ask it there how it is."""

    def __init__(
        self, service: str, listener: socket.socket, log: Path, settings: dict[str, str], lock: DirectoryLock
    ) -> None:
        self.service = service
        self._health = f"{local_url(listener)}/readyz"
        own = {name: value for name, value in os.environ.items() if name not in KEPT_FROM_CHILDREN}
        super().__init__(
            service,
            [sys.executable, "-P", "-m", "libs.runtime", service],
            log,
            environment=own | settings | {"PRICKLE_LISTENER": str(listener.fileno())},
            inherited=[lock.descriptor, listener.fileno()],
        )

    def ready(self) -> bool:
        """Whether it takes calls or commands."""
        try:
            return httpx2.get(self._health, timeout=1.0, trust_env=False).status_code == 200
        except httpx2.HTTPError:
            return False


class Installation:
    """Everything that `prickle up` runs."""

    def __init__(
        self, settings: Settings, *, embedded: bool = True, tell: Callable[[str], None] = lambda line: None
    ) -> None:
        """`embedded` says whether Redis is the embedded Valkey rather than one of the settings' URL.

        `tell` takes a line when something died and was started again.
        """
        self.settings = settings
        self.embedded = embedded
        self.directory = settings.data_dir.absolute()
        self.valkey: EmbeddedValkey | None = None
        self.children: list[ServiceProcess] = []
        self.stopping = False
        self._tell = tell
        self._lock = DirectoryLock(self.directory)
        self._listeners: list[socket.socket] = []

    @property
    def url(self) -> str:
        """Where agents connect."""
        return f"{self.settings.public_url or self.local_url}/mcp"

    @property
    def local_url(self) -> str:
        """The gateway as processes on this machine reach it."""
        return local_url(self._listeners[0])

    def start(self) -> None:
        """Start everything and wait until it is healthy or told to stop; raises `CannotStart`."""
        self._lock.take()
        check_whole(self.directory)
        front = self._listen(self.settings.host, self.settings.port)
        if self.embedded:
            self.valkey = EmbeddedValkey(self.directory / "valkey", inherited=[self._lock.descriptor])
        else:
            check_redis(self.settings.redis_url)
        list(migrated(SERVICES, self.settings.model_copy(update={"data_dir": self.directory})))
        (self.directory / "logs").mkdir(mode=0o700, exist_ok=True)
        environment = self._environment()
        for service in SERVICES:
            listener = front if service == "gateway" else self._listen("127.0.0.1", 0)
            log = self.directory / "logs" / f"{service}.log"
            self.children.append(ServiceProcess(service, listener, log, environment, self._lock))
        for process in self._processes:
            process.spawn()
        self._wait_until_ready()

    @property
    def _processes(self) -> Sequence[Child]:
        return [self.valkey, *self.children] if self.valkey is not None else self.children

    def _listen(self, host: str, port: int) -> socket.socket:
        listener = listen(host, port)
        self._listeners.append(listener)
        return listener

    def _environment(self) -> dict[str, str]:
        return {
            "PRICKLE_REDIS_URL": self.valkey.url if self.valkey else self.settings.redis_url,
            "PRICKLE_DATABASE_URL": self.settings.database_url,
            "PRICKLE_DATA_DIR": str(self.directory),
            "PRICKLE_HOST": self.settings.host,
            "PRICKLE_PORT": str(self._listeners[0].getsockname()[1]),
            "PRICKLE_OPERATOR_TOKEN_FILE": str(self.operator_token_file()),
        }

    def operator_token_file(self) -> Path:
        """The file with the operator's token, made at the first start and readable by its owner only."""
        path = self.settings.operator_token_file or self.directory / "operator.token"
        if not path.exists():
            write_private(path, f"prk_operator_{secrets.token_urlsafe(32)}\n")
        return path

    def operator_token(self) -> str:
        """The operator's token."""
        return self.operator_token_file().read_text().strip()

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + READY_SECONDS
        waiting = list(self._processes)
        while not self.stopping and (waiting := [process for process in waiting if not process.ready()]):
            for process in waiting:
                if process.restarts > RESTARTS_AT_START or time.monotonic() > deadline:
                    raise CannotStart(f"{process.name} does not start; {process.log} says why")
                process.revive()
            time.sleep(POLL_SECONDS)

    def revive(self) -> None:
        """Start again what died."""
        for process in self._processes:
            ending = process.ending
            if process.revive():
                self._tell(f"{process.name} ended ({ending}) and was started again; its log is {process.log}")

    def run(self) -> None:
        """Keep everything running until `stopping` is set."""
        while not self.stopping:
            self.revive()
            time.sleep(POLL_SECONDS)

    def stop(self) -> None:
        """Stop the gateway, then the services, then Valkey: what was begun is finished."""
        for listener in self._listeners:
            listener.close()
        for stage in (self.children[:1], self.children[1:], [self.valkey] if self.valkey else []):
            for process in stage:
                process.ask_to_stop()
            for process in stage:
                process.stop()
        self._lock.release()


def check_redis(url: str) -> None:
    """Raise `CannotStart` when no Redis answers at a URL."""
    try:
        with Redis.from_url(url, socket_connect_timeout=REDIS_SECONDS, socket_timeout=REDIS_SECONDS) as client:
            client.ping()
    except (RedisError, OSError, ValueError) as error:
        raise CannotStart("no Redis answers at the given URL; start it or correct --redis-url") from error


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read, whole or not at all."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
    draft.replace(path)
