"""`deploy/secrets/create`: the files that a hub's secrets are."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest

from tests.deploy.chart import DEPLOY, SERVICES

ELSEWHERE = {"REDIS_AT": "rediss://cache.example:6380/2", "POSTGRES_AT": "db.example:6432/hub?ssl=require"}


def create(directory: Path, **surroundings: str) -> None:
    """Make the secrets in a directory."""
    subprocess.run([DEPLOY / "secrets" / "create", directory], check=True, env=os.environ | surroundings)


def files(directory: Path) -> dict[str, str]:
    """What each file says."""
    return {str(path.relative_to(directory)): path.read_text() for path in directory.rglob("*") if path.is_file()}


def test_a_second_run_changes_nothing_and_the_folder_is_closed_to_others(tmp_path: Path) -> None:
    create(tmp_path)
    first = files(tmp_path)
    create(tmp_path)
    assert files(tmp_path) == first
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o700
    assert len(set(first.values())) == len(first)


@pytest.mark.parametrize("service", [*SERVICES, "owner"])
def test_a_folder_per_service_has_both_urls_with_its_own_password(service: str, tmp_path: Path) -> None:
    create(tmp_path)
    made = files(tmp_path)
    password = {store: made[f"passwords/{store}-{service}"] for store in ("redis", "postgres")}
    assert {name: text for name, text in made.items() if name.startswith(f"{service}/")} == {
        f"{service}/prickle_redis_url": f"redis://prickle-{service}:{password['redis']}@redis:6379/0",
        f"{service}/prickle_database_url": (
            f"postgresql+asyncpg://prickle_{service}:{password['postgres']}@postgres:5432/prickle"
        ),
    }


def test_the_urls_lead_where_they_are_told_to(tmp_path: Path) -> None:
    create(tmp_path, **ELSEWHERE)
    made = files(tmp_path)
    assert made["rooms/prickle_redis_url"].startswith("rediss://prickle-rooms:")
    assert made["rooms/prickle_redis_url"].endswith("@cache.example:6380/2")
    assert made["rooms/prickle_database_url"].endswith("@db.example:6432/hub?ssl=require")
