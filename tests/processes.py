"""A whole hub as people start it: `prickle up --demo`, in processes of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from libs.runtime.valkey import free_port

COMMAND = Path(sys.executable).with_name("prickle")
START_SECONDS = 60.0
STOP_SECONDS = 30.0


@dataclass(frozen=True)
class DemoHub:
    """A running hub with the demo's people and agents, and their tokens by address."""

    url: str
    operator: str
    persons: dict[str, str]
    agents: dict[str, str]
    devices: dict[str, str]
    """Device keys by the device's name."""
    tasks_keys: dict[str, str]
    process: subprocess.Popen[bytes]
    log: Path
    """What `prickle up` printed."""


@contextmanager
def running_demo(directory: Path, *options: str, **variables: str) -> Iterator[DemoHub]:
    """Start `prickle up --demo` on a free port, wait until it is ready, stop it as Ctrl-C does."""
    ready, log = directory / "ready.json", directory / "up.log"
    ready.unlink(missing_ok=True)
    places = ["--port", str(free_port()), "--data-dir", str(directory / "data"), "--ready-file", str(ready)]
    with log.open("ab") as output:
        command = [COMMAND, "up", "--demo", *places, *options]
        process = subprocess.Popen(command, env=os.environ | variables, stdout=output, stderr=output)
    try:
        yield DemoHub(**_what_is_ready(ready, process, log), process=process, log=log)
    finally:
        stop(process, signal.SIGINT)


def _what_is_ready(ready: Path, process: subprocess.Popen[bytes], log: Path) -> dict[str, Any]:
    deadline = time.monotonic() + START_SECONDS
    while not ready.exists():
        if process.poll() is not None or time.monotonic() > deadline:
            raise AssertionError(f"prickle up is not ready: {log.read_text()}")
        time.sleep(0.05)
    said: dict[str, Any] = json.loads(ready.read_text())
    return said


def stop(process: subprocess.Popen[bytes], how: signal.Signals, seconds: float = STOP_SECONDS) -> None:
    """Let a process end in order, and make it end when it does not."""
    process.send_signal(how)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise
