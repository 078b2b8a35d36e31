"""A backup of a former version is restored as it is and brought up like any other database of that version (R47)."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from libs.runtime import migrating
from libs.runtime.serving import SERVICES
from libs.storage.migrations import newest_revision
from tests.runtime.backup.small_hub import one, prickle

LATER = '''"""A table that came later."""

import sqlalchemy as sa
from alembic import op

revision = "{number}"
down_revision = "{before}"


def upgrade() -> None:
    op.create_table("later", sa.Column("n", sa.Integer()))
'''


def test_the_next_migration_finds_the_tables_of_the_backup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub, kept = tmp_path / "hub", tmp_path / "kept"
    assert prickle("migrate", "--data-dir", hub).exit_code == 0
    assert prickle("backup", kept, "--data-dir", hub).exit_code == 0
    newest = newest_revision(migrating.revisions_of("rooms"))
    monkeypatch.setattr(migrating, "MIGRATIONS", with_another_revision(tmp_path / "migrations", newest))
    assert f"rooms: from revision {newest} to {newest + 1}" in prickle("migrate", "--data-dir", hub).stdout
    assert prickle("restore", kept, "--data-dir", hub, "--replace").exit_code == 0
    assert int(str(one(hub / "rooms.db", "SELECT version_num FROM alembic_version"))) == newest
    told = json.loads((kept / "manifest.json").read_text())
    assert all(told["databases"][name]["revision"] for name in SERVICES)
    assert f"rooms: from revision {newest} to {newest + 1}" in prickle("migrate", "--data-dir", hub).stdout


def with_another_revision(folder: Path, newest: int) -> Path:
    """The migrations of a later version."""
    shutil.copytree(migrating.MIGRATIONS, folder)
    number, before = f"{newest + 1:04}", f"{newest:04}"
    text = LATER.format(number=number, before=before)
    (folder / "rooms" / "versions" / f"{number}_later.py").write_text(text)
    return folder
