"""Git repositories for agents to work in."""

from __future__ import annotations

import subprocess
from pathlib import Path


def git(directory: Path, *arguments: str) -> str:
    """What a git command prints."""
    who = ("-c", "user.name=Maya", "-c", "user.email=maya@example.com")
    done = subprocess.run(["git", *who, *arguments], cwd=directory, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def new_repository(path: Path) -> Path:
    """A repository with one commit on main."""
    path.mkdir()
    git(path, "init", "-b", "main")
    git(path, "commit", "--allow-empty", "-m", "Begin")
    return path
