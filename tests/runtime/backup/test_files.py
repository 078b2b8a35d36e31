"""A backup of SQLite files is of one moment, whole, and nobody else's to read."""

import json
import sqlite3
from contextlib import closing, suppress
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from libs.runtime.backup import sqlite
from libs.runtime.backup.sqlite import seen_at_once
from libs.runtime.serving import SERVICES
from tests.runtime.backup.small_hub import cause_and_effect, count, counted, prickle, small_hub

FIRST, LAST = SERVICES[0], SERVICES[-1]


@pytest.fixture
def hub(tmp_path: Path) -> Path:
    return small_hub(tmp_path / "hub")


def backup(hub: Path, target: Path) -> Path:
    """A backup that was made well."""
    made = prickle("backup", target, "--data-dir", hub)
    assert made.exit_code == 0, made.stderr
    return target


def test_an_effect_is_never_kept_without_its_cause(hub: Path, tmp_path: Path) -> None:
    with cause_and_effect(hub):
        kept = [backup(hub, tmp_path / f"kept-{number}") for number in range(5)]
    for folder in kept:
        assert counted(folder, FIRST) - counted(folder, LAST) in (0, 1)
    assert counted(kept[0], FIRST) < counted(kept[-1], FIRST)


def test_nobody_writes_between_the_first_look_and_the_last(hub: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Meddled(sqlite3.Connection):
        def execute(self, query: str, *parameters: Any) -> sqlite3.Cursor:
            looked = super().execute(query, *parameters)
            if "sqlite_master" in query:
                for name in SERVICES:
                    with suppress(sqlite3.OperationalError):
                        count(hub, name, timeout=0)
            return looked

    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Meddled))
    with seen_at_once({name: hub / f"{name}.db" for name in SERVICES}) as views:
        seen = [view.execute("SELECT n FROM counter").fetchone()[0] for view in views.values()]
    assert seen == [0] * len(SERVICES)


def test_what_is_written_while_it_copies_is_not_in_it_and_is_not_held_up(hub: Path, tmp_path: Path) -> None:
    files = {name: hub / f"{name}.db" for name in SERVICES}
    with seen_at_once(files) as views:
        for name in SERVICES:
            count(hub, name)
        for name, view in views.items():
            with closing(sqlite3.connect(tmp_path / f"{name}.db")) as copy:
                view.backup(copy)
    assert [counted(tmp_path, name) for name in SERVICES] == [0] * len(SERVICES)
    assert [counted(hub, name) for name in SERVICES] == [1] * len(SERVICES)


def test_a_database_that_is_never_free_ends_it_and_the_others_were_let_go(
    hub: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "HOLD_SECONDS", 0.05)
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.2)
    with closing(sqlite3.connect(hub / f"{LAST}.db", isolation_level=None)) as busy:
        busy.execute("BEGIN IMMEDIATE")
        refused = prickle("backup", tmp_path / "kept", "--data-dir", hub)
    assert refused.exit_code == 1
    assert "too busy" in refused.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["hub"]
    count(hub, FIRST)


def test_the_manifest_tells_what_is_in_it(hub: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(hub / "rooms.db")) as connection:
        connection.executescript("CREATE TABLE alembic_version AS SELECT 'r7' AS version_num")
    kept = backup(hub, tmp_path / "kept")
    told = json.loads((kept / "manifest.json").read_text())
    assert told["kind"] == "sqlite"
    assert told["product"]
    assert {name: told["databases"][name]["file"] for name in SERVICES} == {name: f"{name}.db" for name in SERVICES}
    assert (told["databases"]["rooms"]["revision"], told["databases"]["tasks"]["revision"]) == ("r7", None)
    assert told["databases"]["rooms"]["rows"]["counter"] == 1
    for name, file in told["files"].items():
        content = (kept / name).read_bytes()
        assert file == {"bytes": len(content), "sha256": sha256(content).hexdigest()}


def test_it_is_readable_by_its_owner_only_and_each_database_is_one_file(hub: Path, tmp_path: Path) -> None:
    (hub / "operator.token").write_text("prk_operator_secret")
    kept = backup(hub, tmp_path / "kept")
    assert {path.name for path in kept.iterdir()} == {"manifest.json", *(f"{name}.db" for name in SERVICES)}
    assert kept.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in kept.iterdir()} == {0o600}


def test_a_directory_with_something_in_it_is_left_as_it_is(hub: Path, tmp_path: Path) -> None:
    kept = backup(hub, tmp_path / "kept")
    before = (kept / "manifest.json").read_bytes()
    refused = prickle("backup", kept, "--data-dir", hub)
    assert refused.exit_code == 1
    assert "new or empty" in refused.stderr
    assert (kept / "manifest.json").read_bytes() == before


def test_a_hub_is_kept_and_put_back_whatever_its_directory_is_called(tmp_path: Path) -> None:
    hub, again = tmp_path / "50%41?#", tmp_path / "again?#"
    assert prickle("migrate", "--data-dir", hub).exit_code == 0
    kept = backup(hub, tmp_path / "kept%3F")
    assert prickle("restore", kept, "--data-dir", again).exit_code == 0
    assert {path.name for path in tmp_path.iterdir()} == {hub.name, again.name, kept.name}
    assert all((again / f"{name}.db").exists() for name in SERVICES)


def test_the_root_of_all_directories_is_no_place_for_it(hub: Path) -> None:
    refused = prickle("backup", "/", "--data-dir", hub)
    assert (refused.exit_code, refused.stderr) == (
        1,
        "prickle: / is there already; name a directory that is new or empty\n",
    )


def test_a_place_that_cannot_be_written_is_refused_in_one_sentence(hub: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    refused = prickle("backup", tmp_path / "file" / "kept", "--data-dir", hub)
    assert (refused.exit_code, refused.stderr.count("\n")) == (1, 1)
    assert "name another directory" in refused.stderr


def test_where_there_is_no_hub_nothing_is_made(tmp_path: Path) -> None:
    refused = prickle("backup", tmp_path / "kept", "--data-dir", tmp_path / "elsewhere")
    assert refused.exit_code == 1
    assert "no whole hub" in refused.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_database_makes_no_backup(hub: Path, tmp_path: Path) -> None:
    (hub / "tasks.db").write_bytes(b"no database" * 1000)
    refused = prickle("backup", tmp_path / "kept", "--data-dir", hub)
    assert refused.exit_code == 1
    assert "cannot copy" in refused.stderr
    assert not (tmp_path / "kept").exists()
