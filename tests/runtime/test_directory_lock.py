"""The lock on a data directory (R44)."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest

from libs.runtime import directory_lock
from libs.runtime.directory_lock import CannotStart, DirectoryInUse, DirectoryLock


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """A lock that somebody else holds."""
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def test_a_directory_is_locked_until_it_is_released(tmp_path: Path) -> None:
    first, second = DirectoryLock(tmp_path), DirectoryLock(tmp_path)
    first.take()
    with pytest.raises(DirectoryInUse):
        second.take()
    first.release()
    second.take()
    second.release()


def test_children_of_a_dead_installation_are_waited_for(tmp_path: Path) -> None:
    lock = DirectoryLock(tmp_path)
    taking = Thread(target=lock.take)
    with locked(tmp_path / "children.lock"):
        taking.start()
        taking.join(0.2)
        assert taking.is_alive()
    taking.join(5)
    assert not taking.is_alive()
    lock.release()


def test_children_that_never_end_are_not_waited_for_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(directory_lock, "LEFTOVERS_SECONDS", 0.1)
    with locked(tmp_path / "children.lock"), pytest.raises(DirectoryInUse):
        DirectoryLock(tmp_path).take()


def test_a_place_that_is_no_directory_is_refused_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CannotStart, match="name another --data-dir"):
        DirectoryLock(tmp_path / "file").take()


def test_a_new_directory_is_for_its_owner_only_and_never_committed(tmp_path: Path) -> None:
    lock = DirectoryLock(tmp_path / "new")
    lock.take()
    assert lock.directory.stat().st_mode & 0o777 == 0o700
    assert (lock.directory / ".gitignore").read_text() == "*\n"
    lock.release()


def test_a_directory_that_was_there_before_keeps_what_is_in_it(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("build/")
    lock = DirectoryLock(tmp_path)
    lock.take()
    assert (tmp_path / ".gitignore").read_text() == "build/"
    lock.release()
