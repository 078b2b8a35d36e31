"""What a runner shows of itself while it works: a live table, or lines for a log."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from prickle.runner.journal import Run

REFRESHED_PER_SECOND = 2
PROGRESS_SECONDS = 60.0
LINES = 8


@dataclass
class Row:
    """One run as it is shown."""

    run: Run
    outputs: tuple[Path, ...]
    state: str = "claiming"
    since: float = field(default_factory=time.time)
    told: float = field(default_factory=time.time)

    @property
    def elapsed(self) -> float:
        """Seconds since its program began, or since it was claimed."""
        return time.time() - (self.run.launched or self.since)

    @property
    def silent(self) -> float | None:
        """Seconds since its client last printed something; None when it has printed nothing."""
        printed = [status.st_mtime for path in self.outputs if (status := _status(path)) and status.st_size]
        return max(time.time() - max(printed), 0.0) if printed else None


class Board:
    """Lines of a log; `LiveBoard` makes a table of them."""

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or Console(soft_wrap=True, highlight=False)
        self.rows: dict[str, Row] = {}

    def __enter__(self) -> Board:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def say(self, text: str, run: Run | None = None) -> None:
        """One sentence about the runner or a run."""
        about = "" if run is None else f"{run.agent_id} {run.kind} {run.subject} run {run.run_id}: "
        self._print(f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ} {about}{text}")

    def show(self, run: Run, state: str, *outputs: Path) -> None:
        """Show how far a run is."""
        row = self.rows.setdefault(run.run_id, Row(run, outputs))
        row.run, row.state, row.outputs = run, state, outputs or row.outputs
        self.say(f"{state}.", run)

    def drop(self, run: Run) -> None:
        """Show a run no longer."""
        self.rows.pop(run.run_id, None)

    def tick(self) -> None:
        """Say of long runs that they go on."""
        for row in self.rows.values():
            if time.time() - row.told >= PROGRESS_SECONDS:
                row.told = time.time()
                self.say(f"{row.state} for {clock(row.elapsed)}, last output {ago(row.silent)}.", row.run)

    def _print(self, line: str) -> None:
        self.console.print(Text(printable(line)))


class LiveBoard(Board):
    """A table that keeps itself up to date, with the last lines below it."""

    def __init__(self, console: Console | None = None) -> None:
        super().__init__(console)
        self._lines: list[str] = []
        self._live = Live(
            console=self.console, refresh_per_second=REFRESHED_PER_SECOND, get_renderable=self._table, transient=True
        )

    def __enter__(self) -> Board:
        self._live.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.__exit__(None, None, None)

    def tick(self) -> None:
        """Nothing: the table shows it."""

    def _print(self, line: str) -> None:
        self._lines = [*self._lines, printable(line)][-LINES:]

    def _table(self) -> Table:
        table = Table("agent", "what", "title", "state", "elapsed", "last output", box=None, pad_edge=False)
        for row in list(self.rows.values()):
            shown = (row.run.agent_id, row.run.kind, row.run.title, row.state, clock(row.elapsed), ago(row.silent))
            table.add_row(*(Text(printable(cell), overflow="ellipsis", no_wrap=True) for cell in shown))
        whole = Table.grid()
        whole.add_row(table if self.rows else Text("Waiting for tasks. Ctrl-C ends."))
        for line in self._lines:
            whole.add_row(Text(line, style="dim", overflow="ellipsis", no_wrap=True))
        return whole


def clock(seconds: float) -> str:
    """A span as people read it."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def ago(seconds: float | None) -> str:
    """How long something is past."""
    return "none yet" if seconds is None else f"{clock(seconds)} ago"


def printable(text: str) -> str:
    """Text of others on a terminal: no control characters."""
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in text)


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None
