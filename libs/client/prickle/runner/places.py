"""Where a runner keeps its things on this machine, for its owner's eyes only."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from prickle.runner.errors import RunnerError


@dataclass(frozen=True)
class Places:
    """The directories of one runner."""

    config: Path
    """What its owner writes: `runner.toml`; and the device key."""
    state: Path
    """What the runner writes: its journal, its runs, its worktrees."""

    @property
    def configuration(self) -> Path:
        return self.config / "runner.toml"

    @property
    def pairing(self) -> Path:
        return self.config / "device.json"

    @property
    def journal(self) -> Path:
        return self.state / "journal.sqlite"

    @property
    def worktrees(self) -> Path:
        return self.state / "worktrees"

    @property
    def runs(self) -> Path:
        return self.state / "runs"


def find_places() -> Places:
    """`PRICKLE_CONFIG_DIR` with everything in it, else where the XDG base directories say."""
    chosen = os.environ.get("PRICKLE_CONFIG_DIR")
    if chosen:
        return Places(Path(chosen), Path(chosen) / "state")
    return Places(_base("XDG_CONFIG_HOME", ".config") / "prickle", _base("XDG_STATE_HOME", ".local/state") / "prickle")


def private_directory(path: Path) -> Path:
    """The directory, made if need be, closed to everybody else."""
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.chmod(0o700)
    return path


def write_private(path: Path, text: str) -> Path:
    """Write a file with mode 0600, whole or not at all."""
    private_directory(path.parent)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".new")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    return Path(temporary).replace(path)


def read_private(path: Path) -> str:
    """A file's text; refused when others could have read or written it."""
    if path.stat().st_mode & 0o077:
        raise RunnerError(f"Run chmod 600 {path}: others on this machine can read it.")
    return path.read_text(encoding="utf-8")


def _base(variable: str, otherwise: str) -> Path:
    given = Path(os.environ.get(variable, ""))
    return given if given.is_absolute() else Path.home() / otherwise
