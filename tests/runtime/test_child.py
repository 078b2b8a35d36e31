"""A process that is watched (R44)."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from libs.runtime import child
from libs.runtime.child import Child
from tests.process_tree import wait_for

STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('set', flush=True); signal.pause()"


class Some(Child):
    """Any program."""

    def ready(self) -> bool:
        return self.ending is None


def some(directory: Path, *command: str) -> Some:
    """A program that logs to a directory."""
    return Some("some", command, directory / "log")


def test_what_dies_young_is_started_at_once_and_then_after_growing_pauses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = SimpleNamespace(now=100.0)
    monkeypatch.setattr(child, "time", SimpleNamespace(monotonic=lambda: clock.now))
    dying = some(tmp_path, "false")
    dying.spawn()
    wait_for(lambda: dying.ending)
    assert dying.revive()
    for pause in (0.5, 1.0, 2.0, 4.0, 5.0, 5.0):
        assert wait_for(lambda: dying.ending) == "exit code 1"
        clock.now += pause - 0.01
        assert not dying.revive()
        clock.now += 0.02
        assert dying.revive()
    dying.stop()


def test_a_long_life_makes_up_for_young_deaths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SimpleNamespace(now=100.0)
    monkeypatch.setattr(child, "time", SimpleNamespace(monotonic=lambda: clock.now))
    dying = some(tmp_path, "false")
    dying.spawn()
    for lived in (1.0, 1.0, 60.0):
        wait_for(lambda: dying.ending)
        clock.now += lived
        assert dying.revive()
    wait_for(lambda: dying.ending)
    assert dying.revive()
    dying.stop()


def test_what_runs_is_not_started_again(tmp_path: Path) -> None:
    running = some(tmp_path, "sleep", "60")
    running.spawn()
    assert running.ready()
    assert not running.revive()
    running.stop()
    assert running.ending == "killed by SIGTERM"


def test_what_does_not_stop_is_made_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "STOP_SECONDS", 0.1)
    stubborn = some(tmp_path, sys.executable, "-c", STUBBORN)
    stubborn.spawn()
    wait_for(lambda: "set" in stubborn.log.read_text())
    stubborn.stop()
    assert stubborn.ending == "killed by SIGKILL"
