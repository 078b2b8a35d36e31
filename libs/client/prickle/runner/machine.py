"""What all runs of a runner share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from prickle.client import Hub
from prickle.runner.board import Board
from prickle.runner.configuration import Configuration
from prickle.runner.journal import Journal
from prickle.runner.launch import RunFiles
from prickle.runner.pairing import Pairing
from prickle.runner.places import Places


@dataclass(frozen=True)
class Machine:
    """This machine, as its runs see it."""

    hub: Hub
    pairing: Pairing
    places: Places
    configuration: Configuration
    journal: Journal
    board: Board

    @property
    def worktrees(self) -> Path:
        """Where worktrees are made."""
        return self.configuration.worktrees or self.places.worktrees

    def files(self, run_id: str) -> RunFiles:
        """A run's private files."""
        return RunFiles(self.places.runs / run_id)

    def work(self, run_id: str) -> Path:
        """Where a run works."""
        return self.worktrees / run_id
