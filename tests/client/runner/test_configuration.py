"""What the owner of a device writes: the configuration, the pairing; and what is kept from others."""

from __future__ import annotations

from pathlib import Path

import pytest
from prickle.runner.configuration import AgentSettings, Configuration, load_configuration
from prickle.runner.errors import RunnerError
from prickle.runner.pairing import Pairing
from prickle.runner.places import find_places

WHOLE = """
kept_runs = 3
kept_gigabytes = 1.5

[agents."maya/codex"]
client = "codex"
arguments = ["--model", "small"]
slots = 2
repositories = { website-v2 = ["/home/maya/website", "/home/maya/fork"] }

[agents."maya/codex".cross_owner]
allowed = true
repositories = ["/home/maya/fork"]
commands = ["codex"]

[agents."maya/script"]
client = "generic"
command = ["./run.sh"]
discussions = false
"""


def load(tmp_path: Path, text: str) -> Configuration:
    path = tmp_path / "runner.toml"
    path.write_text(text)
    return load_configuration(path)


def test_a_whole_configuration_is_read(tmp_path: Path) -> None:
    codex, script = load(tmp_path, WHOLE).agents.values()
    assert codex.argv[0] == "codex"
    assert codex.argv[-2:] == ["--model", "small"]
    assert script.argv == ["./run.sh"]
    assert codex.repository("website-v2", cross_owner=False) == Path("/home/maya/website")
    assert codex.repository("website-v2", cross_owner=True) == Path("/home/maya/fork")
    assert codex.repository("other", cross_owner=False) is None
    assert codex.takes_from_others("website-v2")
    assert not script.takes_from_others("website-v2")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("agents = [", "not TOML"),
        ("", "agents"),
        ('[agents."maya/codex"]\nclient = "chocolate"', "client.*claude_code"),
        ('[agents."maya/codex"]\nclient = "codex"\nslot = 3', "slot"),
        ('[agents."maya/codex"]\nclient = "codex"\ntime_limit_seconds = 0', "time_limit_seconds"),
    ],
)
def test_a_mistake_is_named_by_its_field(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(RunnerError, match=said):
        load(tmp_path, text)


def test_a_missing_configuration_says_what_to_write(tmp_path: Path) -> None:
    with pytest.raises(RunnerError, match=r"owner/name"):
        load_configuration(tmp_path / "runner.toml")


def test_no_command_of_any_client_has_a_token_in_it() -> None:
    for client in ("claude_code", "codex", "grok"):
        assert not any("token}" in word.lower() for word in AgentSettings(client=client).argv)


def test_a_pairing_is_stored_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "prickle" / "device.json"
    Pairing("http://hub.example", "prk_device_x").store(path)
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert Pairing.load(path) == Pairing("http://hub.example", "prk_device_x")
    assert "prk_device" not in repr(Pairing.load(path))


def test_a_pairing_that_others_can_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "device.json"
    Pairing("http://hub.example", "prk_device_x").store(path)
    path.chmod(0o640)
    with pytest.raises(RunnerError, match="chmod 600"):
        Pairing.load(path)


@pytest.mark.parametrize("text", ["", "7", "{}", '{"url": "x"'])
def test_a_damaged_pairing_says_to_pair_again(tmp_path: Path, text: str) -> None:
    path = tmp_path / "device.json"
    path.write_text(text)
    path.chmod(0o600)
    with pytest.raises(RunnerError, match="again"):
        Pairing.load(path)


def test_places_follow_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PRICKLE_CONFIG_DIR", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "c"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "s"))
    assert (find_places().config, find_places().state) == (tmp_path / "c" / "prickle", tmp_path / "s" / "prickle")
    monkeypatch.setenv("PRICKLE_CONFIG_DIR", str(tmp_path / "one"))
    assert find_places().journal == tmp_path / "one" / "state" / "journal.sqlite"
