"""The databases of a hub without the hub, and the commands that keep them."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from click.testing import Result
from prickle.cli import build
from sqlalchemy import create_engine
from typer.testing import CliRunner

from libs.bus.tables import BUS_TABLES
from libs.runtime.serving import SERVICES
from tests.process_tree import wait_for

OWN = {
    "gateway": "CREATE TABLE installation (epoch TEXT); INSERT INTO installation VALUES ('first')",
    "pulse": "CREATE TABLE boards (last_number INTEGER); INSERT INTO boards VALUES (7)",
}
PADDING = 400_000


def prickle(*words: str | Path) -> Result:
    """What a command says and how it ends."""
    return CliRunner().invoke(build(), [str(word) for word in words])


def small_hub(directory: Path) -> Path:
    """A data directory with all databases, each with a counter at 0; they are large enough to copy for a while."""
    directory.mkdir()
    for name in SERVICES:
        path = directory / f"{name}.db"
        engine = create_engine(f"sqlite:///{path}")
        BUS_TABLES.create_all(engine)
        engine.dispose()
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(f"PRAGMA journal_mode=WAL; {OWN.get(name, '')}")
            connection.executescript("CREATE TABLE counter (n INTEGER); INSERT INTO counter VALUES (0)")
            connection.execute("CREATE TABLE padding AS SELECT zeroblob(?) AS filling", [PADDING])
            connection.commit()
    return directory


def counted(directory: Path, name: str) -> int:
    """How far a database has counted."""
    number: int = one(directory / f"{name}.db", "SELECT n FROM counter")
    return number


def one(path: Path, query: str) -> object:
    """What a query gives."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchone()[0]


def count(directory: Path, name: str, timeout: float = 10) -> None:
    """Count one on in a database, in a transaction of its own."""
    with closing(sqlite3.connect(directory / f"{name}.db", timeout=timeout)) as connection:
        connection.execute("UPDATE counter SET n = n + 1")
        connection.commit()


@contextmanager
def cause_and_effect(directory: Path) -> Iterator[None]:
    """Somebody who goes on counting in the first database to be copied, then in the last one."""
    stopping = threading.Event()

    def go_on() -> None:
        while not stopping.is_set():
            count(directory, SERVICES[0])
            count(directory, SERVICES[-1])

    writer = threading.Thread(target=go_on)
    writer.start()
    try:
        wait_for(lambda: counted(directory, SERVICES[-1]) > 0)
        yield
    finally:
        stopping.set()
        writer.join()
