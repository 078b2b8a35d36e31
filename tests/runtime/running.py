"""`prickle up` as a process of its own, with everything that it says."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from prickle import Hub

from tests.process_tree import children, is_running, wait_for
from tests.processes import COMMAND

READY_SECONDS = 60.0
STOP_SECONDS = 40.0
PROJECT = "website-v2"


@dataclass
class Up:
    """A `prickle up` that was started in a directory, from where `hub` is its data directory by default."""

    process: subprocess.Popen[bytes]
    directory: Path
    data: Path
    pids: dict[str, int]
    """What it had started when it was ready."""

    @property
    def ready_file(self) -> Path:
        """Where it says that it is ready."""
        return self.directory / "ready.json"

    @property
    def told(self) -> dict[str, Any]:
        """What the ready file holds."""
        said: dict[str, Any] = json.loads(self.ready_file.read_text())
        return said

    @property
    def printed(self) -> str:
        """What it wrote to standard output."""
        return (self.directory / "out").read_text()

    @property
    def complained(self) -> str:
        """What it wrote to standard error."""
        return (self.directory / "err").read_text()

    def call(self, agent: str, tool: str, **arguments: Any) -> dict[str, Any]:
        """What a tool answers one of the demo's agents."""

        async def call() -> dict[str, Any]:
            async with Hub.connect(self.told["url"], self.told["agents"][agent]) as hub:
                return await hub.call(tool, **arguments)

        return asyncio.run(call())

    def messages(self) -> list[str]:
        """The bodies in the demo's room."""
        return [message["body"] for message in self.call("maya/claude", "read_room", project=PROJECT)["messages"]]

    def end(self, number: signal.Signals) -> int:
        """Send a signal; the exit code, once none of its processes is left."""
        self.process.send_signal(number)
        code = self.process.wait(STOP_SECONDS)
        wait_for(lambda: not any(map(is_running, self.pids.values())), seconds=10)
        return code


def start(directory: Path, *options: str, data: str = "hub", **variables: str) -> Up:
    """Start `prickle up` in a directory without waiting for it."""
    line = [COMMAND, "up", "--data-dir", data, "--ready-file", "ready.json", *options]
    with (directory / "out").open("wb") as out, (directory / "err").open("wb") as err:
        process = subprocess.Popen(line, cwd=directory, env=os.environ | variables, stdout=out, stderr=err)
    return Up(process, directory, directory / data, {})


@contextmanager
def running(directory: Path, *options: str, data: str = "hub", **variables: str) -> Iterator[Up]:
    """A `prickle up` on a free port, once it is ready; killed at the end of the block if nobody ended it."""
    up = start(directory, "--port", "0", *options, data=data, **variables)
    try:
        wait_for(lambda: up.ready_file.exists() or up.process.poll() is not None, READY_SECONDS)
        assert up.process.poll() is None, up.complained
        up.pids = children(up.process.pid)
        yield up
    finally:
        if up.process.poll() is None:
            up.process.kill()
            up.process.wait()


def refused(directory: Path, *options: str, data: str = "hub", **variables: str) -> tuple[int, str]:
    """The exit code of a `prickle up` that does not start, and what it complains."""
    up = start(directory, *options, data=data, **variables)
    try:
        code = up.process.wait(READY_SECONDS)
    finally:
        up.process.kill()
    assert not up.ready_file.exists()
    return code, up.complained
