"""Files that outlive a power cut, readable by their owner only."""

from __future__ import annotations

import os
import shutil
from pathlib import Path


def settle(*paths: Path) -> None:
    """Have files, or the names in directories, on the disk before anything else happens."""
    for path in paths:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def new_file(path: Path) -> Path:
    """A new, empty file."""
    path.touch(mode=0o600, exist_ok=False)
    return path


def copy(source: Path, target: Path) -> None:
    """A copy under a new name."""
    shutil.copyfile(source, new_file(target))
