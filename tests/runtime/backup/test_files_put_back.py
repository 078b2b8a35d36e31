"""A restore of SQLite files is refused before anything is changed, or done whole."""

import errno
import itertools
import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from libs.runtime.backup.manifest import KeptFile
from libs.runtime.directory_lock import DirectoryLock
from libs.runtime.serving import SERVICES
from tests.runtime.backup.small_hub import count, counted, one, prickle, small_hub
from tests.runtime.running import refused as refused_up


@pytest.fixture
def hub(tmp_path: Path) -> Path:
    return small_hub(tmp_path / "hub")


@pytest.fixture
def kept(hub: Path, tmp_path: Path) -> Path:
    """A backup of a hub that has counted on since."""
    assert prickle("backup", tmp_path / "kept", "--data-dir", hub).exit_code == 0
    for name in SERVICES:
        count(hub, name)
    return tmp_path / "kept"


def numbers(hub: Path) -> list[int]:
    """How far each database has counted."""
    return [counted(hub, name) for name in SERVICES]


def restore(kept: Path, hub: Path, *options: str) -> None:
    """A restore that is done."""
    done = prickle("restore", kept, "--data-dir", hub, *options)
    assert done.exit_code == 0, done.stderr
    assert "resync: true" in done.stdout


def refused(kept: Path, hub: Path, *options: str) -> str:
    """Why a restore is refused, in one sentence; nothing was changed."""
    before = numbers(hub)
    ended = prickle("restore", kept, "--data-dir", hub, *options)
    assert (ended.exit_code, ended.stderr.count("\n")) == (1, 1), ended.output
    assert numbers(hub) == before
    return ended.stderr


def test_what_is_there_is_given_up_only_when_somebody_says_so(kept: Path, hub: Path) -> None:
    assert "--replace" in refused(kept, hub)
    restore(kept, hub, "--replace")
    assert numbers(hub) == [0] * len(SERVICES)


def test_a_new_directory_is_made_for_its_owner_only(kept: Path, tmp_path: Path) -> None:
    restore(kept, tmp_path / "new")
    assert numbers(tmp_path / "new") == [0] * len(SERVICES)
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "new").glob("*.db")} == {0o600}


def test_what_the_former_databases_had_not_yet_written_home_does_not_come_back(kept: Path, hub: Path) -> None:
    """A write-ahead log left by a kill belongs to the former file."""
    home = hub / "rooms.db"
    with closing(sqlite3.connect(home)) as connection:
        connection.execute("UPDATE counter SET n = 99")
        connection.commit()
        left = {ending: Path(f"{home}{ending}").read_bytes() for ending in ("-wal", "-shm")}
    for ending, content in left.items():
        Path(f"{home}{ending}").write_bytes(content)
    home.write_bytes(b"no database")
    restore(kept, hub, "--replace")
    assert numbers(hub) == [0] * len(SERVICES)


def test_the_new_life_has_another_epoch_and_fences_beyond_those_of_the_former(kept: Path, hub: Path) -> None:
    """R20, R36."""
    restore(kept, hub, "--replace")
    assert one(hub / "gateway.db", "SELECT epoch FROM installation") != "first"
    assert one(hub / "pulse.db", "SELECT last_number FROM boards") == 1_000_007
    assert one(kept / "gateway.db", "SELECT epoch FROM installation") == "first"


def test_the_streams_of_the_former_life_are_gone(kept: Path, hub: Path) -> None:
    (hub / "valkey" / "appendonlydir").mkdir(parents=True)
    restore(kept, hub, "--replace")
    assert not (hub / "valkey").exists()


@pytest.mark.parametrize("name", ["rooms.db", "manifest.json"])
def test_a_damaged_backup_is_refused(kept: Path, hub: Path, name: str) -> None:
    content = bytearray((kept / name).read_bytes())
    content[len(content) // 2] ^= 1
    content[0] ^= 1
    (kept / name).write_bytes(bytes(content))
    assert "another" in refused(kept, hub, "--replace")


def test_a_file_that_is_no_database_is_refused_and_nothing_is_replaced(kept: Path, hub: Path) -> None:
    """Whoever made the backup by other means says that it is whole."""
    (kept / "rooms.db").write_bytes(b"no database" * 100)
    manifest = json.loads((kept / "manifest.json").read_text())
    manifest["files"]["rooms.db"] = KeptFile.of(kept / "rooms.db").model_dump()
    (kept / "manifest.json").write_text(json.dumps(manifest))
    assert "rooms.db of the backup is damaged" in refused(kept, hub, "--replace")


def test_a_backup_that_lacks_a_file_is_refused(kept: Path, hub: Path) -> None:
    (kept / "pulse.db").unlink()
    assert f"{kept}/pulse.db is damaged or missing" in refused(kept, hub, "--replace")


def test_a_directory_that_is_no_backup_is_refused(hub: Path, tmp_path: Path) -> None:
    assert "holds no backup" in refused(tmp_path / "nothing", hub, "--replace")


def test_a_backup_of_files_is_not_put_into_a_postgresql(kept: Path, hub: Path) -> None:
    assert "leave --database-url" in refused(kept, hub, "--replace", "--database-url", "postgresql+asyncpg://x/y")


def test_a_database_that_a_service_has_open_is_not_replaced(kept: Path, hub: Path) -> None:
    """Services that somebody serves one by one do not hold the directory."""
    with closing(sqlite3.connect(hub / "runs.db")) as service:
        service.execute("SELECT * FROM counter").fetchone()
        assert "stop the hub first" in refused(kept, hub, "--replace")


def test_a_directory_that_a_hub_holds_is_not_restored_into(kept: Path, hub: Path) -> None:
    with DirectoryLock(hub).held():
        assert "is used by a running hub" in refused(kept, hub, "--replace")


def test_a_hub_does_not_start_on_half_a_restore_and_restoring_again_heals_it(
    kept: Path, hub: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as failing:
        failing.setattr(Path, "replace", failing_at_the_third(Path.replace))
        broken = prickle("restore", kept, "--data-dir", hub, "--replace")
    assert "No space left on device; restore again" in broken.stderr
    assert sorted(numbers(hub)) == [0, 0, 1, 1, 1]
    code, complaint = refused_up(tmp_path, "--port", "0", data=str(hub))
    assert code == 1
    assert "run `prickle restore` again" in complaint
    assert "run `prickle restore` again" in prickle("backup", tmp_path / "other", "--data-dir", hub).stderr
    assert "run `prickle restore` again" in prickle("migrate", "--data-dir", hub).stderr
    restore(kept, hub, "--replace")
    assert prickle("backup", tmp_path / "other", "--data-dir", hub).exit_code == 0


def failing_at_the_third(rename: Callable[[Path, Path], Path]) -> Callable[[Path, Path], Path]:
    """A disk that is full in the middle."""
    calls = itertools.count(1)

    def renamed(path: Path, target: Path) -> Path:
        if next(calls) == 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return rename(path, target)

    return renamed
