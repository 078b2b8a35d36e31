"""What a runner shows: lines that say that long work goes on, and a table that is safe to look at."""

from __future__ import annotations

import io
import os
import time
from dataclasses import replace
from pathlib import Path

import pytest
from prickle.runner.board import Board, LiveBoard, ago, clock
from prickle.runner.journal import Run
from rich.console import Console

from tests.client.runner.test_journal import OFFER

NOW = 1_790_000_000.0
RUN = Run(**{**vars(OFFER), "title": "Fix \x1b[31m[red]it"}, run_id="run-1", launched=NOW - 75)


@pytest.fixture(autouse=True)
def _at_a_standstill(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", lambda: NOW)


def test_spans_are_shown_as_people_read_them() -> None:
    assert [clock(seconds) for seconds in (0, 75, 3675)] == ["0:00", "1:15", "1:01:15"]
    assert (ago(None), ago(5)) == ("none yet", "0:05 ago")


def test_a_log_says_of_long_runs_that_they_go_on(tmp_path: Path) -> None:
    said = io.StringIO()
    board = Board(Console(file=said, width=500))
    output = tmp_path / "stdout.log"
    board.show(RUN, "running", output)
    board.tick()
    assert "for 1:15" not in said.getvalue()
    board.rows["run-1"].told = NOW - 60
    output.write_text("something")
    os.utime(output, (NOW, NOW))
    board.tick()
    assert "running for 1:15, last output 0:00 ago." in said.getvalue()
    board.drop(RUN)
    assert board.rows == {}


def test_a_table_shows_runs_and_the_last_lines_without_control_characters() -> None:
    console = Console(file=io.StringIO(), width=200)
    with LiveBoard(console) as board:
        assert isinstance(board, LiveBoard)
        board.show(RUN, "running")
        board.show(replace(RUN, run_id="run-2"), "reporting")
        with console.capture() as captured:
            console.print(board._table())
    shown = captured.get()
    for text in ("maya/codex", "running", "reporting", "1:15", "none yet", "[red]it"):
        assert text in shown
    assert "\x1b[31m" not in shown
