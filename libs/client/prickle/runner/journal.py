"""What a runner must not forget when it is killed: where it was waiting, what it was offered, what it runs.

A run is written down before it is claimed, before its program is let go, when its program has ended and when it is
reported; so it is neither lost nor doubled. No token is ever in here.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal

from prickle.runner.errors import RunnerError
from prickle.runner.failures import Step
from prickle.runner.places import private_directory

Kind = Literal["task", "discussion"]
State = Literal["claiming", "claimed", "launched", "exited", "done"]
KEPT_SECONDS = 30 * 86400.0

SCHEMA = """
CREATE TABLE IF NOT EXISTS cursor (one INTEGER PRIMARY KEY CHECK (one = 1), cursor TEXT);
CREATE TABLE IF NOT EXISTS offers (kind TEXT, subject TEXT, agent_id TEXT, project TEXT, title TEXT, branch TEXT,
    requester TEXT, at TEXT, PRIMARY KEY (kind, subject, agent_id));
CREATE TABLE IF NOT EXISTS runs (run_id TEXT PRIMARY KEY, kind TEXT, subject TEXT, agent_id TEXT, project TEXT,
    title TEXT, branch TEXT, requester TEXT, at TEXT, state TEXT, claimed_at TEXT, pid INTEGER, process TEXT,
    launched REAL, why TEXT, input_tokens INTEGER, output_tokens INTEGER, turns INTEGER, duration_ms INTEGER,
    exit_code INTEGER, step TEXT, written REAL);
"""


@dataclass(frozen=True)
class Offer:
    """Something that the hub has for an agent of this device."""

    kind: Kind
    subject: str
    """A task's id, or the id of the message to answer."""
    agent_id: str
    project: str
    title: str
    branch: str | None
    requester: str
    at: str

    @property
    def cross_owner(self) -> bool:
        """Whether somebody else than the agent's owner, or an agent of theirs, asked for it."""
        return self.requester.partition("/")[0] != self.agent_id.partition("/")[0]


@dataclass(frozen=True)
class Run(Offer):
    """One run of an agent, as far as it has come."""

    run_id: str
    state: State = "claiming"
    claimed_at: str | None = None
    pid: int | None = None
    process: str | None = None
    """With the pid what tells the process from all others: when it started."""
    launched: float | None = None
    """Seconds since 1970, by this machine's clock."""
    why: str | None = None
    """Why the runner ended it, when it did."""
    input_tokens: int | None = None
    output_tokens: int | None = None
    turns: int | None = None
    duration_ms: int | None = None
    exit_code: int | None = None
    step: Step | None = None


class Journal:
    """The journal of one runner; a second runner on it is refused."""

    def __init__(self, path: Path) -> None:
        private_directory(path.parent)
        self._lock = _lock(path.with_suffix(".lock"))
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        self._database = sqlite3.connect(path, isolation_level=None)
        self._database.row_factory = sqlite3.Row
        self._database.execute("PRAGMA synchronous = FULL")
        self._database.executescript(SCHEMA)
        self._database.execute("DELETE FROM runs WHERE state = 'done' AND written < ?", (time.time() - KEPT_SECONDS,))

    def close(self) -> None:
        """Let another runner have it."""
        self._database.close()
        os.close(self._lock)

    @property
    def cursor(self) -> str | None:
        """What the next wait passes: it acknowledges all that is written down here."""
        row = self._database.execute("SELECT cursor FROM cursor").fetchone()
        return None if row is None else row["cursor"]

    def take(self, offers: list[Offer], cursor: str | None) -> None:
        """Write a page of updates down, and with it that it may be acknowledged."""
        with self._transaction():
            for offer in offers:
                self._write("offers", asdict(offer))
            self._write("cursor", {"one": 1, "cursor": cursor})

    def offers(self) -> list[Offer]:
        """What is offered and not taken, oldest first."""
        rows = self._database.execute("SELECT * FROM offers ORDER BY rowid").fetchall()
        return [Offer(**row) for row in rows]

    def withdraw(self, offer: Offer) -> None:
        """Forget an offer."""
        self._database.execute(
            "DELETE FROM offers WHERE kind = ? AND subject = ? AND agent_id = ?",
            (offer.kind, offer.subject, offer.agent_id),
        )

    def begin(self, offer: Offer) -> Run:
        """Turn an offer into a run about to be claimed, with an id of its own."""
        run = Run(**asdict(offer), run_id=str(uuid.uuid4()))
        with self._transaction():
            self.withdraw(offer)
            self._write("runs", asdict(run) | {"written": time.time()})
        return run

    def give_back(self, run: Run) -> None:
        """Undo `begin`: the claim was refused for now."""
        with self._transaction():
            self._database.execute("DELETE FROM runs WHERE run_id = ?", (run.run_id,))
            self._write("offers", {field.name: getattr(run, field.name) for field in fields(Offer)}, "IGNORE")

    def write(self, run: Run, **changes: Any) -> Run:
        """Write down how far a run has come."""
        changed = replace(run, **changes)
        self._write("runs", asdict(changed) | {"written": time.time()})
        return changed

    def unfinished(self) -> list[Run]:
        """Runs that are not done, oldest first."""
        rows = self._database.execute("SELECT * FROM runs WHERE state != 'done' ORDER BY written").fetchall()
        names = {field.name for field in fields(Run)}
        return [Run(**{name: row[name] for name in row.keys() if name in names}) for row in rows]  # noqa: SIM118

    def _write(self, table: str, values: dict[str, Any], clash: str = "REPLACE") -> None:
        marks = ", ".join("?" for _ in values)
        statement = f"INSERT OR {clash} INTO {table} ({', '.join(values)}) VALUES ({marks})"
        self._database.execute(statement, tuple(values.values()))

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._database.execute("ROLLBACK")
            raise
        self._database.execute("COMMIT")


def _lock(path: Path) -> int:
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise RunnerError("Stop the other runner first: one is running with this configuration.") from None
    return handle
