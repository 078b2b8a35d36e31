"""Real databases for tests: SQLite files, and PostgreSQL where this machine has it."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path

import asyncpg
import pytest
from sqlalchemy import text

from libs.runtime.child import die_with_parent
from libs.runtime.valkey import free_port
from libs.storage import Database

BACKENDS = ("sqlite", "postgresql")
START_SECONDS = 30.0
STOP_SECONDS = 20.0
UNPRIVILEGED = ("postgres", "nobody")
LASTING = ("max_connections=200",)
QUICK = (*LASTING, "fsync=off", "full_page_writes=off")
"""Safe when the server is killed, though not when the machine is."""


def postgres_programs() -> Path | None:
    """The folder of `initdb` and `postgres`; None where PostgreSQL is not installed."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in folders if (folder / "postgres").exists()), None)


@dataclass
class Cluster:
    """One PostgreSQL server in a directory of its own, on a loopback port and without a Unix socket."""

    programs: Path
    directory: Path
    port: int
    settings: Sequence[str] = QUICK
    process: subprocess.Popen[bytes] | None = None

    def create(self) -> None:
        """Make the directory a cluster that trusts whoever connects."""
        if os.getuid() == 0:
            shutil.chown(self.directory, self._account())
        options = ["--auth=trust", "--username=prickle", "--encoding=UTF8", "--locale=C", "--no-sync"]
        made = self._spawn("initdb", "--pgdata", str(self.directory / "data"), *options).wait(START_SECONDS)
        assert made == 0, self.log.read_text()

    def start(self) -> None:
        """Start the server and wait until it takes connections."""
        settings = (*self.settings, "listen_addresses=127.0.0.1", "unix_socket_directories=", f"port={self.port}")
        chosen = [word for setting in settings for word in ("-c", setting)]
        self.process = self._spawn("postgres", "-D", str(self.directory / "data"), *chosen)
        deadline = time.monotonic() + START_SECONDS
        while not self._answers():
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < deadline, self.log.read_text()
            time.sleep(0.02)

    @property
    def log(self) -> Path:
        """What the server said."""
        return self.directory / "log"

    def _spawn(self, program: str, *arguments: str) -> subprocess.Popen[bytes]:
        """The server refuses to run as root."""
        account = self._account() if os.getuid() == 0 else None
        with self.log.open("ab") as output:
            return subprocess.Popen(
                [self.programs / program, *arguments],
                stdout=output,
                stderr=output,
                cwd=self.directory,
                user=account,
                group=account and "nogroup",
                extra_groups=[] if account else None,
                preexec_fn=partial(die_with_parent, os.getpid()),
            )

    @staticmethod
    def _account() -> str:
        known = {entry.pw_name for entry in pwd.getpwall()}
        return next(name for name in UNPRIVILEGED if name in known)

    def _answers(self) -> bool:
        probe = [self.programs / "pg_isready", "--quiet", "--host=127.0.0.1", f"--port={self.port}"]
        return subprocess.run(probe, check=False).returncode == 0

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End it: SIGINT closes all connections, SIGQUIT is a crash."""
        assert self.process is not None
        self.process.send_signal(how)
        self.process.wait(STOP_SECONDS)

    def url(self, database: str) -> str:
        """Where services connect."""
        return f"postgresql+asyncpg://prickle@127.0.0.1:{self.port}/{database}"

    async def new_database(self) -> str:
        """The URL of a new, empty database."""
        name = f"test_{next(_NUMBERS)}"
        connection = await asyncpg.connect(self.url("postgres").replace("+asyncpg", ""))
        await connection.execute(f"CREATE DATABASE {name}")
        await connection.close()
        return self.url(name)


_NUMBERS = count(1)


def started_cluster(settings: Sequence[str] = QUICK) -> Iterator[Cluster]:
    """A running cluster, removed afterwards; skips the test where PostgreSQL is not installed."""
    programs = postgres_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed here; only SQLite was tested")
    with tempfile.TemporaryDirectory(prefix="prickle-postgres-") as directory:
        cluster = Cluster(programs, Path(directory), free_port(), settings)
        cluster.create()
        cluster.start()
        yield cluster
        if cluster.process is not None and cluster.process.poll() is None:
            cluster.stop()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    """A PostgreSQL server that tests share, each with a database of its own."""
    yield from started_cluster()


@pytest.fixture(params=BACKENDS)
async def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A new database, once of each kind."""
    if request.param == "sqlite":
        return f"sqlite+aiosqlite:///{tmp_path / 'service.db'}"
    cluster: Cluster = request.getfixturevalue("postgres")
    return await cluster.new_database()


async def one_waits_for_a_lock(database: Database) -> bool:
    """Whether a transaction on this PostgreSQL database waits for another."""
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    async with database.read() as session:
        return bool((await session.execute(text(waiting))).scalar())
