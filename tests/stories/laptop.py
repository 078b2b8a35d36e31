"""Maya's laptop: paired with the demo as her device, where her codex is the stub agent."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.client.runner.repositories import new_repository
from tests.processes import COMMAND, DemoHub
from tests.stories.friends import PROJECT

STUB = Path(__file__).parents[1] / "stub_agent.py"
DEVICE = "maya-laptop"
STOP_SECONDS = 40.0
CONFIGURATION = """
[agents."maya/codex"]
client = "claude_code"
command = [{python}, {stub}, "--mcp-config", "{{mcp_config}}"]
repositories = {{ {project} = [{repository}] }}

[agents."maya/codex".cross_owner]
allowed = true
repositories = [{repository}]
commands = [{python}]
"""


@dataclass(frozen=True)
class Laptop:
    """A machine with a directory of its own for all that belongs to the runner."""

    demo: DemoHub
    folder: Path

    @property
    def repository(self) -> Path:
        """Where codex may work for the project."""
        return self.folder / "website"

    @property
    def configuration(self) -> Path:
        """What the runner calls its own."""
        return self.folder / "prickle"

    @property
    def log(self) -> Path:
        """What the runner printed."""
        return self.folder / "runner.log"

    def set_up(self, key: str) -> None:
        """Pair it and allow codex to run, for others too."""
        new_repository(self.repository)
        self.pair(key)
        places = {"python": sys.executable, "stub": str(STUB), "repository": str(self.repository)}
        quoted = {name: json.dumps(place) for name, place in places.items()}
        (self.configuration / "runner.toml").write_text(CONFIGURATION.format(project=PROJECT, **quoted))

    def pair(self, key: str) -> None:
        """Give it a key of maya's device."""
        self.prickle("runner", "pair", PRICKLE_DEVICE_KEY=key)

    def prickle(self, *arguments: str, **variables: str) -> str:
        """What a command prints here."""
        command = [COMMAND, *arguments]
        environment = self._environment(variables)
        return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout

    def records(self, task_id: str) -> list[dict[str, Any]]:
        """What maya reads of the runs of a task, newest first."""
        said = self.prickle("runs", "list", "--task", task_id, "--json", PRICKLE_TOKEN=self.demo.persons["maya"])
        records: list[dict[str, Any]] = json.loads(said)
        return records

    @contextmanager
    def runner(self, **variables: object) -> Iterator[subprocess.Popen[bytes]]:
        """`prickle runner start` with variables for the stub; asked to end after the block, if it still runs."""
        environment = self._environment({name: str(value) for name, value in variables.items()})
        with self.log.open("ab") as log:
            command = [COMMAND, "runner", "start", "--plain"]
            process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        try:
            yield process
        finally:
            if process.poll() is None:
                process.terminate()
                assert process.wait(STOP_SECONDS) == 0, self.log.read_text()

    def _environment(self, variables: dict[str, str]) -> dict[str, str]:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("PRICKLE_")}
        return {**inherited, "PRICKLE_CONFIG_DIR": str(self.configuration), "PRICKLE_URL": self.demo.url, **variables}
