"""Starting on a directory that was used before, however that ended (R44)."""

import signal
from pathlib import Path

from tests.process_tree import is_running, wait_for
from tests.runtime.running import PROJECT, running, start

FAR_AWAY = "/".join(["a directory with a long name"] * 6)


def test_tokens_and_data_outlive_a_stop(tmp_path: Path) -> None:
    with running(tmp_path, "--demo") as first:
        told = first.told
        first.call("maya/codex", "post_message", project=PROJECT, body="kept")
        assert first.end(signal.SIGINT) == 0
    assert not first.ready_file.exists()
    assert first.printed.endswith("Stopping …\n")
    assert first.complained == ""
    with running(tmp_path, "--demo") as again:
        assert again.told | {"url": ""} == told | {"url": ""}
        assert again.messages() == ["kept"]
        assert again.end(signal.SIGTERM) == 0


def test_a_kill_takes_everything_along_and_loses_nothing_that_was_answered(tmp_path: Path) -> None:
    with running(tmp_path, "--demo") as first:
        first.call("maya/codex", "post_message", project=PROJECT, body="answered")
        first.process.kill()
        first.process.wait()
        first.ready_file.unlink()
        with running(tmp_path, "--demo") as again:
            assert not any(map(is_running, first.pids.values()))
            assert again.messages() == ["answered"]


def test_a_stop_while_it_starts_is_a_stop(tmp_path: Path) -> None:
    up = start(tmp_path, "--port", "0")
    wait_for(lambda: up.printed)
    assert up.end(signal.SIGINT) == 0
    assert not up.ready_file.exists()
    assert "Prickle is up" not in up.printed


def test_data_may_be_kept_far_away(tmp_path: Path) -> None:
    """The path of a socket has a limit that the path of a directory does not have."""
    with running(tmp_path, "--demo", data=FAR_AWAY) as up:
        up.call("maya/codex", "post_message", project=PROJECT, body="far")
        assert up.messages() == ["far"]
        assert up.end(signal.SIGINT) == 0
