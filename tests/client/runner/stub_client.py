"""A program in the place of an agent's client: it notes what it was given, prints a recorded output, and ends."""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path


def main() -> None:
    """Do what the arguments say, in the order of the options below."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--notes", type=Path, help="A folder in which to leave a note of this run.")
    parser.add_argument("--stubborn", action="store_true", help="Do not end when asked to.")
    parser.add_argument("--child", action="store_true", help="Leave a child behind.")
    parser.add_argument("--print", type=Path, help="A file to print.")
    parser.add_argument("--until", type=Path, help="Wait until this file exists.")
    parser.add_argument("--exit", type=int, default=0)
    wanted = parser.parse_args()
    if wanted.stubborn:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child = subprocess.Popen(["sleep", "600"]) if wanted.child else None
    if wanted.notes:
        _note(wanted.notes, child)
    if wanted.print:
        sys.stdout.write(wanted.print.read_text())
        sys.stdout.flush()
    while wanted.until and not wanted.until.exists():
        time.sleep(0.02)
    sys.exit(wanted.exit)


def _note(folder: Path, child: subprocess.Popen[bytes] | None) -> None:
    note = {
        "pid": os.getpid(),
        "child": child.pid if child else None,
        "directory": os.getcwd(),
        "arguments": Path("/proc/self/cmdline").read_text().split("\0"),
        "environment": dict(os.environ),
        "prompt": sys.stdin.read(),
        "mcp_config": Path(os.environ["PRICKLE_MCP_CONFIG"]).read_text() if "PRICKLE_MCP_CONFIG" in os.environ else "",
    }
    started = folder / f".{os.getpid()}"
    started.write_text(json.dumps(note))
    started.rename(folder / f"{os.getpid()}.json")


if __name__ == "__main__":
    main()
