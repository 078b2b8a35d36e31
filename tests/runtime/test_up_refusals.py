"""A hub that cannot start says why in one sentence, at once."""

import os
import re
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from prickle.cli import build
from typer.testing import CliRunner

from libs.runtime.valkey import free_port
from tests.runtime.running import Up, refused, running


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    with running(tmp_path_factory.mktemp("up")) as running_up:
        yield running_up


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def is_one_sentence(complaint: str) -> bool:
    """Whether it is a line of ours and no traceback."""
    return re.fullmatch(r"prickle: [^\n]+\n", complaint) is not None


def test_a_taken_port_is_refused(tmp_path: Path, taken_port: int) -> None:
    code, complaint = refused(tmp_path, "--port", str(taken_port))
    assert code == 1
    assert is_one_sentence(complaint)
    assert f"port {taken_port} is taken" in complaint


def test_the_port_of_a_hub_is_taken(up: Up, tmp_path: Path) -> None:
    code, complaint = refused(tmp_path, "--port", up.told["url"].rpartition(":")[2].removesuffix("/mcp"))
    assert code == 1
    assert is_one_sentence(complaint)


def test_a_directory_in_use_is_refused_and_its_hub_goes_on(up: Up, tmp_path: Path) -> None:
    code, complaint = refused(tmp_path, "--port", "0", data=str(up.data))
    assert code == 1
    assert is_one_sentence(complaint)
    assert "is used by a running hub" in complaint
    assert up.ready_file.exists()
    assert up.process.poll() is None


def test_a_bad_command_line_ends_with_2(tmp_path: Path) -> None:
    code, complaint = refused(tmp_path, "--no-such-option")
    assert code == 2
    assert "Traceback" not in complaint


@pytest.mark.parametrize(
    "options", [["--port", "high"], ["--port", "65536"], ["--ready-file", "no/such/ready.json"], ["--data-dir", "file"]]
)
def test_a_value_that_cannot_be_ends_with_2_and_nothing_is_started(
    tmp_path: Path, options: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    ended = CliRunner().invoke(build(), ["up", *options])
    assert ended.exit_code == 2
    assert options[0] in ended.stderr
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"PRICKLE_PORT": "eighty", "PRICKLE_DATABASE_POOL": "many"}, "PRICKLE_DATABASE_POOL, PRICKLE_PORT"),
        ({"PRICKLE_ALLOWED_HOSTS": "example.com"}, "JSON in PRICKLE_ALLOWED_HOSTS"),
    ],
)
def test_a_bad_setting_ends_with_2_and_is_named_but_not_quoted(
    variables: dict[str, str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    ended = CliRunner().invoke(build(), ["up"])
    assert ended.exit_code == 2
    assert said in ended.stderr
    assert not any(value in ended.output for value in variables.values())


def test_an_address_of_another_machine_is_refused(tmp_path: Path) -> None:
    code, complaint = refused(tmp_path, "--host", "192.0.2.1", "--port", "0")
    assert code == 1
    assert complaint == "prickle: cannot listen on 192.0.2.1; name an address of this machine as --host\n"


def test_a_redis_that_does_not_answer_is_refused_without_its_password(tmp_path: Path) -> None:
    code, complaint = refused(tmp_path, "--port", "0", "--redis-url", f"redis://:secret@127.0.0.1:{free_port()}/0")
    assert code == 1
    assert is_one_sentence(complaint)
    assert "secret" not in complaint


def test_a_service_that_keeps_ending_is_named_with_its_log(tmp_path: Path) -> None:
    code, complaint = refused(tmp_path, "--port", "0", PRICKLE_OPERATOR_TOKEN_FILE=str(tmp_path))
    assert code == 1
    assert complaint == f"prickle: gateway does not start; {tmp_path}/hub/logs/gateway.log says why\n"
    assert "put a token into" in (tmp_path / "hub" / "logs" / "gateway.log").read_text()


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "hub").mkdir()
    (tmp_path / "hub" / "rooms.db").write_bytes(b"no database" * 100)
    code, complaint = refused(tmp_path, "--port", "0")
    assert code == 1
    assert is_one_sentence(complaint)
    assert "the database of rooms refuses us (DatabaseError)" in complaint
