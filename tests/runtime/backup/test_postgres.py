"""A backup of PostgreSQL is one dump of all schemas, put back in one transaction."""

from __future__ import annotations

import asyncio
import json
import signal
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from redis import Redis

from libs.runtime.backup.manifest import KeptFile, Manifest
from libs.runtime.serving import SERVICES
from libs.runtime.valkey import EmbeddedValkey, free_port
from tests.databases import Cluster
from tests.process_tree import wait_for
from tests.runtime.backup.small_hub import prickle
from tests.runtime.running import PROJECT, running

BODIES = ["@jonas/claude before"]


@pytest.fixture
def redis_url(valkey: EmbeddedValkey) -> str:
    """A Redis of one's own, with something in it that is nobody's business."""
    url = f"redis://127.0.0.1:{valkey.port}/202"
    with Redis.from_url(url) as client:
        client.flushdb()
        client.set("another", "kept")
    return url


@pytest.fixture
def database(postgres: Cluster) -> str:
    """A new database."""
    return asyncio.run(postgres.new_database())


def do(url: str, *statements: str) -> list[Any]:
    """What the last of some statements gives."""

    async def done() -> list[Any]:
        connection = await asyncpg.connect(url.replace("+asyncpg", ""))
        try:
            return [await connection.fetch(statement) for statement in statements][-1]
        finally:
            await connection.close()

    return asyncio.run(done())


def restored(kept: Path, *options: str) -> str:
    """What a restore that is not done complains of, or nothing."""
    ended = prickle("restore", kept, *options)
    assert ended.exit_code == (1 if ended.stderr else 0)
    assert ended.stderr.count("\n") <= 1
    return ended.stderr


def test_a_hub_is_put_back_with_empty_streams_and_told_so(tmp_path: Path, database: str, redis_url: str) -> None:
    """R20."""
    places = ("--database-url", database, "--redis-url", redis_url)
    with running(tmp_path, "--demo", *places) as up:
        up.call("maya/codex", "post_message", project=PROJECT, body=BODIES[0])
        made = prickle("backup", tmp_path / "kept", "--database-url", database)
        assert made.exit_code == 0, made.stderr
        up.call("maya/codex", "post_message", project=PROJECT, body="@jonas/claude lost")
        lost = up.call("jonas/claude", "wait_for_mention")["next_cursor"]
        assert "stop the services first" in restored(tmp_path / "kept", *places, "--replace")
        assert up.end(signal.SIGINT) == 0
    assert "--replace" in restored(tmp_path / "kept", *places)
    wait_for(lambda: not restored(tmp_path / "kept", *places, "--replace"))
    with Redis.from_url(redis_url) as client:
        assert client.keys() == [b"another"]
    with running(tmp_path, "--demo", *places) as again:
        assert again.messages() == BODIES
        told = again.call("jonas/claude", "wait_for_mention", cursor=lost)
        assert (len(told["mentions"]), told["resync"]) == (1, True)
        assert again.end(signal.SIGINT) == 0


@pytest.fixture
def small(database: str) -> str:
    """A database with the tables that a restore touches, each service with a counter at 0."""
    for name in SERVICES:
        do(
            database,
            f"CREATE SCHEMA {name}",
            f"SET search_path TO {name}",
            f"CREATE TABLE {name}.counter (n int)",
            f"INSERT INTO {name}.counter VALUES (0)",
            f"CREATE TABLE {name}.alembic_version AS SELECT '{name}-7' AS version_num",
            f"CREATE TABLE {name}.outbox (created_at timestamptz, sent_at timestamptz)",
            f"CREATE TABLE {name}.answers (expires_at timestamptz)",
        )
    do(database, "CREATE TABLE gateway.installation AS SELECT 'first' AS epoch")
    do(database, "CREATE TABLE pulse.boards AS SELECT 7 AS last_number")
    return database


@pytest.fixture
def kept(small: str, tmp_path: Path) -> Path:
    """A backup of that; the database has counted on since."""
    made = prickle("backup", tmp_path / "kept", "--database-url", small)
    assert made.exit_code == 0, made.stderr
    for name in SERVICES:
        do(small, f"UPDATE {name}.counter SET n = n + 1")
    return tmp_path / "kept"


def numbers(url: str) -> list[int]:
    """How far each service has counted."""
    return [do(url, f"SELECT n FROM {name}.counter")[0]["n"] for name in SERVICES]


def test_the_manifest_tells_what_is_in_the_dump(kept: Path) -> None:
    told = json.loads((kept / "manifest.json").read_text())
    assert told["kind"] == "postgresql"
    assert told["files"].keys() == {"prickle.pgdump"}
    assert {name: told["databases"][name]["revision"] for name in SERVICES} == {name: f"{name}-7" for name in SERVICES}
    assert told["databases"]["runs"]["rows"]["counter"] == 1
    assert {path.stat().st_mode & 0o777 for path in kept.iterdir()} == {0o600}


def test_another_database_gets_what_was_kept_with_another_epoch(kept: Path, postgres: Cluster, redis_url: str) -> None:
    other = asyncio.run(postgres.new_database())
    assert restored(kept, "--database-url", other, "--redis-url", redis_url) == ""
    assert numbers(other) == [0] * len(SERVICES)
    assert do(other, "SELECT epoch FROM gateway.installation")[0]["epoch"] != "first"
    assert do(other, "SELECT last_number FROM pulse.boards")[0]["last_number"] == 1_000_007


def test_who_may_use_new_tables_may_use_restored_ones(kept: Path, small: str, redis_url: str) -> None:
    do(small, "DROP ROLE IF EXISTS kept_rooms", "CREATE ROLE kept_rooms")
    do(small, "ALTER DEFAULT PRIVILEGES IN SCHEMA rooms GRANT SELECT ON TABLES TO kept_rooms")
    assert restored(kept, "--replace", "--database-url", small, "--redis-url", redis_url) == ""
    allowed = "SELECT has_table_privilege('kept_rooms', 'rooms.counter', 'SELECT') AS may"
    assert do(small, allowed)[0]["may"]
    do(small, "DROP OWNED BY kept_rooms", "DROP ROLE kept_rooms")


def test_a_restore_that_fails_at_its_end_changes_nothing(small: str, tmp_path: Path, redis_url: str) -> None:
    do(small, "DROP TABLE pulse.boards")
    assert prickle("backup", tmp_path / "kept", "--database-url", small).exit_code == 0
    do(small, "UPDATE gateway.counter SET n = n + 1")
    complaint = restored(tmp_path / "kept", "--replace", "--database-url", small, "--redis-url", redis_url)
    assert "psql failed, and nothing was changed" in complaint
    assert numbers(small)[0] == 1


def test_a_dump_that_breaks_off_changes_nothing(kept: Path, small: str, redis_url: str) -> None:
    dump, manifest = kept / "prickle.pgdump", Manifest.verified(kept)
    dump.write_bytes(dump.read_bytes()[:-200])
    manifest.files[dump.name] = KeptFile.of(dump)
    (kept / "manifest.json").write_text(manifest.model_dump_json())
    complaint = restored(kept, "--replace", "--database-url", small, "--redis-url", redis_url)
    assert "pg_restore failed, and nothing was changed" in complaint
    assert numbers(small) == [1] * len(SERVICES)


def test_a_password_reaches_the_programs_but_not_their_arguments(
    small: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = pretended(tmp_path / "bin", "17.1", monkeypatch)
    refused = prickle("backup", tmp_path / "kept", "--database-url", small.replace("prickle@", "prickle:secret@"))
    assert "pg_dump failed" in refused.stderr
    line, password = said.read_text().splitlines()
    assert (password, "secret" in line, "secret" in refused.output) == ("secret", False, False)
    assert not (tmp_path / "kept").exists()


def test_a_client_that_is_missing_or_older_than_the_server_is_told_of(
    small: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretended(tmp_path / "bin", "9.6", monkeypatch)
    refused = prickle("backup", tmp_path / "kept", "--database-url", small)
    assert "pg_dump is older than the server; install the PostgreSQL client, version" in refused.stderr
    (tmp_path / "bin" / "pg_dump").unlink()
    refused = prickle("backup", tmp_path / "kept", "--database-url", small)
    assert "pg_dump is not installed" in refused.stderr


def pretended(folder: Path, version: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A `pg_dump` that only says its version and notes how it is called; the file with that."""
    folder.mkdir()
    noted = folder / "noted"
    steps = [f'[ "$1" = --version ] && echo "pg_dump (PostgreSQL) {version}" && exit', f"echo $@ > {noted}"]
    script = "\n".join(["#!/bin/sh", *steps, f"echo $PGPASSWORD >> {noted}", "echo 'error: no' >&2", "exit 1", ""])
    (folder / "pg_dump").write_text(script)
    (folder / "pg_dump").chmod(0o700)
    monkeypatch.setenv("PATH", str(folder))
    return noted


def test_a_database_without_a_hub_makes_no_backup(database: str, tmp_path: Path) -> None:
    refused = prickle("backup", tmp_path / "kept", "--database-url", database)
    assert "no whole hub" in refused.stderr
    assert not (tmp_path / "kept").exists()


def test_a_server_that_does_not_answer_is_told_of_without_its_password(tmp_path: Path) -> None:
    url = f"postgresql+asyncpg://prickle:secret@127.0.0.1:{free_port()}/prickle"
    refused = prickle("backup", tmp_path / "kept", "--database-url", url)
    assert (refused.exit_code, refused.stderr.count("\n")) == (1, 1)
    assert "secret" not in refused.output
