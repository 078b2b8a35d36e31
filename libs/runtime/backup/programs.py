"""PostgreSQL's own programs: found, new enough, and told where to connect without a password in their arguments."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from typing import IO, Any

from sqlalchemy.engine import make_url

from libs.runtime.backup.manifest import BackupError

VARIABLES = {
    "host": "PGHOST",
    "port": "PGPORT",
    "user": "PGUSER",
    "password": "PGPASSWORD",
    "database": "PGDATABASE",
    "ssl": "PGSSLMODE",
}
UNKNOWN_TO_OLDER_SERVERS = b"SET transaction_timeout = 0;\n"
"""What a `pg_restore` of version 17 writes for every server; no row of ours can read like this."""


class Programs:
    """`pg_dump`, `pg_restore` and `psql`, for one database."""

    def __init__(self, url: str) -> None:
        parsed = make_url(url)
        _, given = parsed.get_dialect()().create_connect_args(parsed)
        self.places: dict[str, Any] = {name: given[name] for name in VARIABLES if given.get(name) is not None}
        """Where to connect, as the driver takes it."""
        self._environment = os.environ | {VARIABLES[name]: str(value) for name, value in self.places.items()}

    def check(self, program: str, server: int) -> None:
        """Raise `BackupError` when a program is missing or older than the server, whose major version is given."""
        if shutil.which(program) is None:
            raise BackupError(f"{program} is not installed; install the PostgreSQL client, version {server} or newer")
        said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
        known = re.search(r"\d+", said)
        if known is None or int(known[0]) < server:
            raise BackupError(f"{program} is older than the server; install the PostgreSQL client, version {server}")

    def run(self, line: Sequence[str]) -> None:
        """Run a program to its end."""
        ended = subprocess.run(line, env=self._environment, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        _check_end(line[0], ended.returncode, ended.stderr)

    def play(self, before: Sequence[str], line: Sequence[str], after: Sequence[str]) -> None:
        """Have `psql` carry out statements, what a program writes, and more statements, up to the first error."""
        psql = ["psql", "--no-password", "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--output=/dev/null"]
        pipes: Any = {"stdin": subprocess.PIPE, "stderr": subprocess.PIPE}
        with subprocess.Popen(psql, env=self._environment, **pipes) as playing:
            assert playing.stdin is not None
            failed = self._written(playing.stdin, before, line, after)
            _, complaint = playing.communicate()
        _check_end(line[0], 1 if failed else 0, failed)
        _check_end("psql", playing.returncode, complaint)

    def _written(self, into: IO[bytes], before: Sequence[str], line: Sequence[str], after: Sequence[str]) -> bytes:
        """Write it all, or stop before `after`; what the program complained of if it failed."""
        with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self._environment) as program:
            assert program.stdout is not None
            assert program.stderr is not None
            try:
                into.writelines(f"{statement};\n".encode() for statement in before)
                into.writelines(part for part in program.stdout if part != UNKNOWN_TO_OLDER_SERVERS)
                complaint = program.stderr.read()
                if program.wait() != 0:
                    return complaint or b"it was killed"
                into.writelines(f"{statement};\n".encode() for statement in after)
            except BrokenPipeError:
                program.kill()
        return b""


def _check_end(program: str, code: int, complaint: bytes) -> None:
    if code != 0:
        said = complaint.decode(errors="replace").splitlines()
        why = next((line for line in said if "error:" in line.lower()), "it did not say why")
        raise BackupError(f"{program} failed, and nothing was changed: {why}")
