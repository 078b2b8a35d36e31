"""A hub with parts of one's own, and one that starts empty."""

import asyncio
import os
import re
import shlex
import signal
import subprocess
from pathlib import Path

from libs.runtime.valkey import EmbeddedValkey
from tests.databases import Cluster
from tests.processes import COMMAND
from tests.runtime.running import PROJECT, running

SHELL_PATH = f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}"


def test_a_redis_of_ones_own_takes_the_place_of_the_embedded_one(tmp_path: Path, valkey: EmbeddedValkey) -> None:
    with running(tmp_path, "--demo", "--redis-url", f"redis://127.0.0.1:{valkey.port}/200") as up:
        assert up.pids.keys() == {"gateway", "rooms", "tasks", "pulse", "runs"}
        up.call("maya/codex", "post_message", project=PROJECT, body="over another Redis")
        assert up.messages() == ["over another Redis"]
        assert up.end(signal.SIGTERM) == 0
    assert not (up.data / "valkey").exists()


async def test_a_postgresql_of_ones_own_takes_the_place_of_the_files(tmp_path: Path, postgres: Cluster) -> None:
    database = await postgres.new_database()
    await asyncio.to_thread(talk_over, tmp_path, database)
    assert list((tmp_path / "hub").glob("*.db")) == []


def talk_over(directory: Path, database: str) -> None:
    """A conversation that goes on after the hub was stopped and started again."""
    for body in ("first", "second"):
        with running(directory, "--demo", "--database-url", database) as up:
            up.call("maya/codex", "post_message", project=PROJECT, body=body)
            messages = up.messages()
            assert up.end(signal.SIGINT) == 0
    assert messages == ["first", "second"]


def test_the_first_steps_that_it_prints_lead_to_an_agent_with_a_key(tmp_path: Path) -> None:
    with running(tmp_path, data="a hub of ours") as up:
        assert up.told == {**up.told, "persons": {}, "agents": {}}
        token_file = up.data / "operator.token"
        assert token_file.stat().st_mode & 0o777 == 0o600
        assert up.told["operator"] == token_file.read_text().strip()
        assert up.told["operator"] not in up.printed
        steps = [line for line in up.printed.splitlines() if line.startswith("  ")]
        script = "\n".join(["set -e", *steps])
        environment = os.environ | {"PATH": SHELL_PATH}
        followed = subprocess.run(["bash", "-c", script], env=environment, capture_output=True, text=True)
        assert followed.returncode == 0, followed.stderr
        assert re.search(r"^prk_client_[\w-]{43}$", followed.stdout, re.MULTILINE)
        assert shlex.quote(str(token_file)) in up.printed
