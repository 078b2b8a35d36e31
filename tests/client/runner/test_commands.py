"""`prickle runner pair`, `mcp-config` and `doctor` on the command line."""

from __future__ import annotations

import asyncio
import json
import tomllib
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from prickle.cli import build
from prickle.runner.checks import _clock
from prickle.runner.mcp_config import FORMATS
from prickle.runner.pairing import Pairing
from typer.testing import CliRunner, Result

from tests.client.runner.desk import DEVICE_TOKEN, Desk
from tests.serving import serving

Prickle = Callable[..., Awaitable[Result]]
URL = "http://hub.example:8400"


@pytest.fixture
def prickle(tmp_path: Path) -> Prickle:
    """Run a command with a configuration of its own."""

    async def run(*arguments: str, said: str = "", **environment: str) -> Result:
        known = {"PRICKLE_CONFIG_DIR": str(tmp_path / "home"), "COLUMNS": "200", **environment}
        return await asyncio.to_thread(CliRunner().invoke, build(), list(arguments), input=said, env=known)

    return run


@pytest.fixture
async def url() -> AsyncIterator[str]:
    """A hub for devices."""
    async with serving(Desk().app) as url:
        yield url


@pytest.mark.parametrize("way", ["typed", "file", "dash", "variable"])
async def test_a_device_is_paired_with_a_key_that_is_never_an_argument(
    prickle: Prickle, url: str, tmp_path: Path, way: str
) -> None:
    (tmp_path / "key").write_text(f"{DEVICE_TOKEN}\n")
    options = {"file": ["--key-file", str(tmp_path / "key")], "dash": ["--key-file", "-"]}.get(way, [])
    variable = {"PRICKLE_DEVICE_KEY": DEVICE_TOKEN} if way == "variable" else {}
    said = f"{DEVICE_TOKEN}\n" if way in ("typed", "dash") else ""
    result = await prickle("runner", "pair", "--url", url, *options, said=said, **variable)
    assert (result.exit_code, DEVICE_TOKEN in result.output) == (0, False), result.output
    assert Pairing.load(tmp_path / "home" / "device.json") == Pairing(url, DEVICE_TOKEN)


@pytest.mark.parametrize("key", ["prk_client_ended", "no token", ""])
async def test_a_key_that_the_hub_does_not_know_is_not_stored(
    prickle: Prickle, url: str, tmp_path: Path, key: str
) -> None:
    result = await prickle("runner", "pair", "--url", url, said=f"{key}\n")
    assert result.exit_code == 1
    assert not (tmp_path / "home").exists()
    assert not key or key not in result.output


async def test_a_runner_that_is_not_paired_or_configured_says_so(prickle: Prickle, tmp_path: Path) -> None:
    result = await prickle("runner", "start", "--once")
    assert (result.exit_code, "runner pair" in result.stderr) == (1, True)
    Pairing(URL, DEVICE_TOKEN).store(tmp_path / "home" / "device.json")
    result = await prickle("runner", "start", "--once")
    assert (result.exit_code, "runner.toml" in result.stderr) == (1, True)


@pytest.mark.parametrize("client", ["claude_code", "cursor", "generic"])
async def test_a_json_configuration_has_the_key_or_names_its_variable(prickle: Prickle, client: str) -> None:
    for token, shown in (("prk_client_x", "Bearer prk_client_x"), (None, "PRICKLE_TOKEN}")):
        given = {} if token is None else {"PRICKLE_TOKEN": token}
        result = await prickle("mcp-config", client, "--url", URL, **given)
        server = json.loads(result.stdout)["mcpServers"]["prickle"]
        assert server["url"] == f"{URL}/mcp"
        assert server["headers"]["Authorization"].endswith(shown)


@pytest.mark.parametrize("client", ["codex", "grok"])
async def test_a_toml_configuration_names_the_variable(prickle: Prickle, client: str) -> None:
    result = await prickle("mcp-config", client, "--url", URL, PRICKLE_TOKEN="prk_client_x")
    server = tomllib.loads(result.stdout)["mcp_servers"]["prickle"]
    assert server["url"] == f"{URL}/mcp"
    assert "PRICKLE_TOKEN" in str(server)
    assert "prk_client_x" not in result.output


async def test_an_unknown_client_is_wrong_usage(prickle: Prickle) -> None:
    result = await prickle("mcp-config", "chocolate")
    assert result.exit_code == 2
    assert all(name in result.output for name in FORMATS)


async def test_the_doctor_finds_a_healthy_machine_healthy(prickle: Prickle, url: str, tmp_path: Path) -> None:
    home = tmp_path / "home"
    Pairing(url, DEVICE_TOKEN).store(home / "device.json")
    (home / "runner.toml").write_text('[agents."maya/codex"]\nclient = "generic"\ncommand = ["sh"]\n')
    result = await prickle("doctor", PRICKLE_TOKEN=DEVICE_TOKEN)
    assert result.exit_code == 0, result.output
    for about in ("hub", "clock", "PRICKLE_TOKEN", "device key", "pairing", "maya/codex", "git"):
        assert f"{about}: " in result.output
    assert DEVICE_TOKEN not in result.output


async def test_the_doctor_says_what_to_do_about_what_is_wrong(prickle: Prickle, url: str, tmp_path: Path) -> None:
    home = tmp_path / "home"
    Pairing(url, "prk_client_ended").store(home / "device.json")
    lost = f'repositories = {{ website-v2 = ["{tmp_path}/nowhere"] }}'
    (home / "runner.toml").write_text(f'[agents."maya/codex"]\nclient = "generic"\ncommand = ["no-such"]\n{lost}\n')
    result = await prickle("doctor")
    assert result.exit_code == 1
    ill = [line for line in result.output.splitlines() if line.startswith("✗")]
    assert [line.split()[1].rstrip(":") for line in ill] == ["device", "maya/codex", "repository"]


@pytest.mark.parametrize("token", ["prk_person_x", "prk_operator_x"])
async def test_the_doctor_takes_a_persons_token_for_no_wrong_key(prickle: Prickle, url: str, token: str) -> None:
    result = await prickle("doctor", PRICKLE_URL=url, PRICKLE_TOKEN=token)
    assert (result.exit_code, "· PRICKLE_TOKEN: " in result.output) == (0, True)
    assert token not in result.output


async def test_the_doctor_praises_no_machine_for_clients_that_it_has_not(
    prickle: Prickle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    (home / "runner.toml").write_text('[agents."maya/codex"]\nclient = "generic"\ncommand = ["sh"]\n')
    monkeypatch.setattr("prickle.runner.checks.shutil.which", lambda name: name if name == "sh" else None)
    result = await prickle("doctor")
    assert "· clients: None of " in result.output


async def test_the_doctor_says_when_nobody_answers_or_something_else_does(prickle: Prickle) -> None:
    result = await prickle("doctor", PRICKLE_URL="http://127.0.0.1:1")
    assert (result.exit_code, "✗ hub" in result.output) == (1, True)


def test_a_clock_that_is_off_is_found() -> None:
    finding: Any = _clock("Thu, 01 Jan 2026 00:00:00 GMT")
    assert (finding.state, finding.text.startswith("Set the clock")) == ("ill", True)
    assert _clock(None).state == "note"
