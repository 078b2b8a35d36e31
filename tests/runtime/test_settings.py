"""Settings come from the environment, and every duration of the rules is one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from prickle.cli import build
from sqlalchemy.engine import make_url
from typer.testing import CliRunner

from libs.contracts.policy import Policy
from libs.runtime.settings import SecretsUnreadable, load_settings


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


@pytest.mark.parametrize("name", ["a?b", "100%41", "a#b", "a b:c@d"])
def test_a_file_is_in_the_data_directory_whatever_that_is_called(name: str, tmp_path: Path) -> None:
    url = load_settings(data_dir=tmp_path / name, database_url="").database_of("rooms")
    assert make_url(url).database == f"{tmp_path}/{name}/rooms.db"


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


ODD_FILES: dict[str, Callable[[Path], object]] = {
    "a folder": Path.mkdir,
    "a link to nothing": lambda path: path.symlink_to("/nowhere"),
    "no text": lambda path: path.write_bytes(b"\xff\xfe"),
}


@pytest.mark.parametrize("odd", ODD_FILES)
def test_no_hub_begins_anew_elsewhere_for_want_of_a_secret(odd: str, secrets: Path) -> None:
    """Docker makes a folder of a bind mount whose source is not there: the hub would keep its data in files then."""
    ODD_FILES[odd](secrets / "prickle_database_url")
    with pytest.raises(SecretsUnreadable, match="let this user read"):
        load_settings()


def test_a_directory_of_secrets_that_is_named_must_be_there(secrets: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for wrong in (secrets / "absent", secrets / "prickle_redis_url"):
        monkeypatch.setenv("PRICKLE_SECRETS_DIR", str(wrong))
        with pytest.raises(SecretsUnreadable):
            load_settings()


ODD_URLS = ["hunter2", "mysql://ann:hunter2@db/hub", "postgresql://ann:hunter2@db/hub", "redis://:hunter2@db:port/0"]


@pytest.mark.parametrize("url", [*ODD_URLS, "\ufeffpostgresql+asyncpg://ann:hunter2@db/hub"])
@pytest.mark.parametrize("name", ["prickle_redis_url", "prickle_database_url"])
def test_a_url_that_is_none_is_refused_by_the_name_of_its_setting(name: str, url: str, secrets: Path) -> None:
    (secrets / name).write_text(url)
    ended = CliRunner().invoke(build(), ["migrate"])
    assert (ended.exit_code, ended.stderr) == (2, f"prickle: correct the value of {name.upper()}\n")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "70000"),
        ("HEALTH_PORT", "-1"),
        ("LOG_LEVEL", "loud"),
        ("LOG_FORMAT", "xml"),
        ("DATABASE_POOL", "0"),
        ("FACTS_SECONDS", "nan"),
        ("OUTBOX_SWEEP_SECONDS", "inf"),
        ("ATTEMPT_DEADLINE_SECONDS", "1e300"),
        ("DRAIN_SECONDS", "-1"),
        ("WAITS_PER_CREDENTIAL", "0"),
        ("MAX_WAIT_SECONDS", "-1"),
    ],
)
def test_a_number_or_word_with_which_nothing_would_run_is_refused(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"PRICKLE_{name}", value)
    ended = CliRunner().invoke(build(), ["serve", "rooms"])
    assert (ended.exit_code, ended.stderr) == (2, f"prickle: correct the value of PRICKLE_{name}\n")
