"""The no-op server in a process of its own."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from libs.runtime.valkey import free_port

ROOT = Path(__file__).parents[2]
START_SECONDS = 30.0
POLL_SECONDS = 0.05
STOP_SECONDS = 10.0


@contextmanager
def running_noop() -> Iterator[str]:
    """Serve `tests.bench.noop` as the runtime serves the gateway; gives its URL."""
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", "tests.bench.noop:app", "--loop", "uvloop", "--http", "httptools"]
    settings = ["--port", str(port), "--no-access-log", "--no-server-header", "--log-level", "warning"]
    process = subprocess.Popen([*command, *settings], cwd=ROOT)
    try:
        _wait_until_listening(port)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(STOP_SECONDS)


def _wait_until_listening(port: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(POLL_SECONDS)
    raise RuntimeError("The no-op server did not start.")
