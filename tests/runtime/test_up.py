"""A hub that one command runs."""

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from prickle import HubError

from tests.process_tree import children, wait_for
from tests.processes import COMMAND
from tests.runtime.running import PROJECT, Up, running

TOKEN = re.compile(r"prk_[a-z]+_[\w-]+")
PROCESSES = ["gateway", "rooms", "tasks", "pulse", "runs", "valkey"]
SHELL_PATH = f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}"


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    with running(tmp_path_factory.mktemp("up"), "--demo") as running_up:
        yield running_up


def test_the_ready_file_is_whole_and_for_its_owner_only(up: Up) -> None:
    assert up.ready_file.stat().st_mode & 0o777 == 0o600
    assert up.told.keys() == {"url", "operator", "persons", "agents", "devices", "tasks_keys"}
    assert up.told["persons"].keys() == {"maya", "jonas"}
    assert up.told["agents"].keys() == {"maya/codex", "maya/claude", "jonas/claude"}
    assert up.told["devices"].keys() == up.told["tasks_keys"].keys() == {"maya-laptop"}


def test_a_hub_that_says_it_is_ready_is_healthy_and_consists_of_six_processes(up: Up) -> None:
    assert httpx.get(up.told["url"].replace("/mcp", "/readyz")).json() == {"status": "ready"}
    assert up.pids.keys() == set(PROCESSES)


def test_the_line_that_it_prints_works_when_it_is_pasted(up: Up) -> None:
    (line,) = (line for line in up.printed.splitlines() if "prickle call" in line)
    pasted = subprocess.run(["bash", "-c", line], env=os.environ | {"PATH": SHELL_PATH}, capture_output=True, text=True)
    assert pasted.returncode == 0, pasted.stderr
    assert "@jonas/claude hello" in up.messages()


def test_the_only_token_that_it_prints_is_the_one_to_connect_with(up: Up) -> None:
    assert set(TOKEN.findall(up.printed)) == {up.told["agents"]["maya/codex"]}
    assert not TOKEN.search(up.complained)


def test_what_it_keeps_is_readable_by_its_owner_only(up: Up) -> None:
    assert up.data.stat().st_mode & 0o777 == 0o700
    for name in ("operator.token", "demo.tokens", "rooms.db", "rooms.db-wal", "gateway.db"):
        assert (up.data / name).stat().st_mode & 0o777 == 0o600
    for name in ("logs", "valkey"):
        assert (up.data / name).stat().st_mode & 0o777 == 0o700


def test_nobody_else_can_write_to_its_broker(up: Up) -> None:
    """Who can write command streams can send commands in anybody's name."""
    assert (up.data / "valkey" / "valkey.sock").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("name", PROCESSES)
def test_a_killed_process_is_started_again_and_the_hub_serves(up: Up, name: str) -> None:
    """R44."""
    before = children(up.process.pid)[name]
    os.kill(before, signal.SIGKILL)
    wait_for(lambda: children(up.process.pid).get(name, before) != before)
    key = f"after {name}"
    wait_for(lambda: _answered(up, "post_message", project=PROJECT, body=key, idempotency_key=key), seconds=60)
    wait_for(lambda: _answered(up, "check_inbox"), seconds=60)
    assert up.messages().count(key) == 1
    assert f"prickle: {name} ended (killed by SIGKILL) and was started again" in up.complained


def _answered(up: Up, tool: str, **arguments: str) -> bool:
    try:
        return bool(up.call("maya/codex", tool, **arguments))
    except HubError:
        return False


def test_a_hub_that_another_directory_holds_is_another_hub(up: Up, tmp_path: Path) -> None:
    with running(tmp_path, "--demo") as other:
        other.call("maya/codex", "post_message", project=PROJECT, body="only here")
        assert other.messages() == ["only here"]
        assert "only here" not in up.messages()
        assert other.end(signal.SIGTERM) == 0
