"""The checks of `prickle doctor`: each says what it found, or what to do."""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Literal

import httpx2

from prickle.access import mcp_url
from prickle.client import Hub
from prickle.errors import HubError
from prickle.runner.adapters import adapters
from prickle.runner.configuration import Configuration, load_configuration
from prickle.runner.errors import RunnerError
from prickle.runner.pairing import Pairing
from prickle.runner.places import Places
from prickle.runner.worktrees import OLDEST_GIT, git_version

SKEW_SECONDS = 5.0
TIMEOUT_SECONDS = 10.0
PEOPLES_TOKENS = ("prk_person_", "prk_operator_")


@dataclass(frozen=True)
class Finding:
    """What one check found; `ill` needs something done, `note` is worth knowing."""

    about: str
    state: Literal["well", "note", "ill"]
    text: str


async def examine(places: Places, url: str | None, token: str | None, *, otherwise: str) -> list[Finding]:
    """All checks, in the order in which one repairs things; of the hub at `url`, the paired one, or `otherwise`."""
    pairing, paired = _pairing(places)
    where = url or (pairing.url if pairing else otherwise)
    reached = await _reach(where)
    known = [] if any(finding.state == "ill" for finding in reached) else await _keys(where, token, pairing)
    written = _configuration(places)
    return [*reached, *known, *paired, *written, *_clients(), await _git()]


async def _reach(url: str) -> list[Finding]:
    """Whether a hub answers, and whether this machine's clock agrees with its."""
    try:
        async with httpx2.AsyncClient(timeout=TIMEOUT_SECONDS) as http:
            response = await http.get(mcp_url(url))
    except HubError as error:
        return [Finding("hub", "ill", error.message)]
    except httpx2.HTTPError:
        return [Finding("hub", "ill", "Start the hub, or set PRICKLE_URL: nobody answers at this URL.")]
    if response.status_code not in (401, 405):
        said = f"Check PRICKLE_URL: what is there answers HTTP status {response.status_code}, not as a hub."
        return [Finding("hub", "ill", said)]
    return [Finding("hub", "well", "answers."), _clock(response.headers.get("date"))]


def _clock(date: str | None) -> Finding:
    try:
        skew = time.time() - parsedate_to_datetime(date or "").timestamp()
    except ValueError:
        return Finding("clock", "note", "The hub does not say what time it is.")
    if abs(skew) <= SKEW_SECONDS:
        return Finding("clock", "well", "agrees with the hub's.")
    how = "ahead of" if skew > 0 else "behind"
    return Finding("clock", "ill", f"Set the clock: it is {abs(skew):.0f} s {how} the hub's.")


async def _keys(url: str, token: str | None, pairing: Pairing | None) -> list[Finding]:
    """Whether the hub lets the agent's key and the device's key in."""
    findings = []
    if token is not None and token.startswith(PEOPLES_TOKENS):
        findings.append(
            Finding("PRICKLE_TOKEN", "note", "Set an agent's key to check one; this token is for people's commands.")
        )
    elif token is not None:
        findings.append(await _key("PRICKLE_TOKEN", url, token))
    if pairing is not None:
        findings.append(await _key("device key", pairing.url, pairing.token))
    return findings or [Finding("key", "note", "Set PRICKLE_TOKEN to check an agent's key.")]


async def _key(about: str, url: str, token: str) -> Finding:
    try:
        async with Hub.connect(url, token) as hub:
            return Finding(about, "well", f"is let in and may call {len(await hub.tools())} tools.")
    except HubError as error:
        return Finding(about, "ill", error.message)


def _pairing(places: Places) -> tuple[Pairing | None, list[Finding]]:
    if not places.pairing.exists():
        return None, [Finding("pairing", "note", "To run agents here, pair this machine: prickle runner pair.")]
    try:
        return Pairing.load(places.pairing), [Finding("pairing", "well", "is stored, for you alone.")]
    except RunnerError as error:
        return None, [Finding("pairing", "ill", str(error))]


def _configuration(places: Places) -> list[Finding]:
    if not places.configuration.exists():
        return [Finding("runner.toml", "note", f"To run agents here, write {places.configuration}.")]
    try:
        configuration = load_configuration(places.configuration)
    except RunnerError as error:
        return [Finding("runner.toml", "ill", str(error))]
    return [*_agents(configuration), *_repositories(configuration)]


def _agents(configuration: Configuration) -> list[Finding]:
    """Whether each configured agent's own command can be started."""
    findings = []
    for agent_id, settings in sorted(configuration.agents.items()):
        if settings.argv and shutil.which(settings.argv[0]):
            findings.append(Finding(agent_id, "well", "its command is there."))
        else:
            findings.append(Finding(agent_id, "ill", "Install its client, or name its command in runner.toml."))
    return findings


def _repositories(configuration: Configuration) -> list[Finding]:
    named = {path for agent in configuration.agents.values() for paths in agent.repositories.values() for path in paths}
    missing = sorted(path for path in named if not (path / ".git").exists())
    return [Finding("repository", "ill", f"Clone it, or correct runner.toml: {path}.") for path in missing]


def _clients() -> list[Finding]:
    """Which of the known clients are here."""
    binaries = sorted({adapter.command[0] for adapter in adapters().values() if adapter.command})
    found = [name for name in binaries if shutil.which(name)]
    if found:
        return [Finding("clients", "well", f"on the PATH: {', '.join(found)}.")]
    return [Finding("clients", "note", f"None of {', '.join(binaries)} is on the PATH.")]


async def _git() -> Finding:
    version, oldest = await git_version(), ".".join(map(str, OLDEST_GIT))
    if version is None or version < OLDEST_GIT:
        return Finding("git", "ill", f"Install git {oldest} or newer: tasks about a branch need it.")
    return Finding("git", "well", f"is {'.'.join(map(str, version))}.")
