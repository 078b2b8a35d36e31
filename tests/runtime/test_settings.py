"""Settings come from the environment, and every duration of the rules is one."""

from __future__ import annotations

from pathlib import Path

import pytest

from libs.contracts.policy import Policy
from libs.runtime.settings import load_settings


@pytest.mark.parametrize("name", Policy.model_fields)
def test_each_duration_and_limit_is_a_setting(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"PRICKLE_{name.upper()}", "7")
    assert getattr(load_settings().policy, name) == 7


def test_what_is_given_goes_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRICKLE_PORT", "1")
    assert (load_settings().port, load_settings(port=2).port) == (1, 2)


def test_each_service_has_a_file_of_its_own_unless_a_database_is_named(tmp_path: Path) -> None:
    files = load_settings(data_dir=tmp_path, database_url="")
    assert files.database_of("rooms") == f"sqlite+aiosqlite:///{tmp_path}/rooms.db"
    assert load_settings(database_url="postgresql+asyncpg://db/hub").database_of("rooms").endswith("//db/hub")


def test_the_address_is_the_public_one_where_there_is_one() -> None:
    assert load_settings(host="127.0.0.1", port=1234, public_url="").address == "http://127.0.0.1:1234"
    assert load_settings(public_url="https://hub.example").address == "https://hub.example"


@pytest.fixture
def secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with one secret."""
    (tmp_path / "prickle_redis_url").write_text("redis://secret\n")
    monkeypatch.setenv("PRICKLE_SECRETS_DIR", str(tmp_path))
    return tmp_path


def test_what_the_environment_does_not_say_stands_in_a_file_of_that_name(
    secrets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert load_settings().redis_url == "redis://secret"
    monkeypatch.setenv("PRICKLE_REDIS_URL", "redis://environment")
    assert load_settings().redis_url == "redis://environment"


def test_the_usual_directory_of_secrets_is_read_where_there_is_one(
    secrets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PRICKLE_SECRETS_DIR")
    monkeypatch.setattr("libs.runtime.settings.USUAL_SECRETS", secrets)
    assert load_settings().redis_url == "redis://secret"
    monkeypatch.setattr("libs.runtime.settings.USUAL_SECRETS", secrets / "absent")
    assert load_settings().redis_url == "redis://127.0.0.1:6379/0"
