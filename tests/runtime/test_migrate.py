"""`prickle migrate`, and services that find their tables missing."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import Result
from prickle.cli import build
from typer.testing import CliRunner

from libs.runtime.directory_lock import DirectoryLock
from libs.runtime.migrating import revisions_of
from libs.runtime.serving import SERVICES
from libs.runtime.valkey import free_port
from libs.storage.migrations import newest_revision
from tests.databases import Cluster

START_SECONDS = 60


def migrate(*words: str | Path) -> Result:
    return CliRunner().invoke(build(), ["migrate", *map(str, words)])


def newest(service: str) -> int:
    return newest_revision(revisions_of(service))


def nothing_to_do(*services: str) -> list[str]:
    return [f"{service}: at revision {newest(service)}, nothing to do" for service in services]


def test_it_tells_of_each_service_and_finds_nothing_to_do_the_second_time(tmp_path: Path) -> None:
    first, second = (migrate("--data-dir", tmp_path / "hub") for _ in range(2))
    assert (first.exit_code, second.exit_code) == (0, 0)
    assert first.stdout.splitlines() == [f"{one}: made, at revision {newest(one)}" for one in SERVICES]
    assert second.stdout.splitlines() == nothing_to_do(*SERVICES)
    assert all((tmp_path / "hub" / f"{one}.db").stat().st_mode & 0o777 == 0o600 for one in SERVICES)


def test_it_makes_the_schemas_of_the_services_that_it_is_told(postgres: Cluster) -> None:
    url = asyncio.run(postgres.new_database())
    line = [Path(sys.executable).with_name("prickle"), "migrate", "rooms", "runs"]
    for _ in range(2):
        done = subprocess.run(line, env=os.environ | {"PRICKLE_DATABASE_URL": url}, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == nothing_to_do("rooms", "runs")


def test_an_unknown_service_ends_with_2_and_nothing_is_made(tmp_path: Path) -> None:
    ended = migrate("rooms", "post", "--data-dir", tmp_path / "hub")
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert "there is no service post; name some of gateway" in ended.stderr
    assert not (tmp_path / "hub").exists()


def test_a_directory_in_use_is_refused(tmp_path: Path) -> None:
    lock = DirectoryLock(tmp_path)
    lock.take()
    ended = migrate("--data-dir", tmp_path)
    lock.release()
    assert ended.exit_code == 1
    assert "is used by a running hub; stop that one" in ended.stderr


def test_a_postgresql_that_does_not_answer_is_told_without_its_password() -> None:
    ended = migrate("--database-url", f"postgresql+asyncpg://prickle:secret@127.0.0.1:{free_port()}/hub")
    assert ended.exit_code == 1
    assert "the database of gateway does not answer; start it" in ended.stderr
    assert "secret" not in ended.output


@pytest.mark.parametrize("service", ["gateway", "runs"])
def test_a_service_without_its_tables_ends_with_one_sentence(service: str, tmp_path: Path) -> None:
    own = {"PRICKLE_DATA_DIR": str(tmp_path), "PRICKLE_HEALTH_PORT": str(free_port())}
    line = [sys.executable, "-m", "libs.runtime", service]
    ended = subprocess.run(line, env=os.environ | own, capture_output=True, text=True, timeout=START_SECONDS)
    assert ended.returncode == 1
    (said,) = (json.loads(line) for line in (ended.stdout + ended.stderr).splitlines())
    assert said["reason"] == f"the tables of {service} are not there yet; run `prickle migrate {service}`"
