"""An agent asks for a capability; its owner approves it on the command line; the open wait returns the decision."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from tests.site import Site

PROJECT, ANN, BEN = "website-v2", "ann/codex", "ben/claude"


async def prickle(site: Site, person: str, *words: str) -> str:
    """Run the command line as a person."""
    environment = {"PRICKLE_URL": site.gateway.url, "PRICKLE_TOKEN": site.tokens[person], "PATH": "/usr/bin:/bin"}
    program = await asyncio.create_subprocess_exec(
        Path(sys.executable).with_name("prickle"), *words, stdout=asyncio.subprocess.PIPE, env=environment
    )
    said, _ = await program.communicate()
    assert program.returncode == 0
    return said.decode()


async def test_the_owner_approves_from_the_command_line_and_the_open_wait_returns_it(site: Site) -> None:
    await site.introduce(PROJECT, ANN, BEN)
    asked = await site.call(
        ANN, "request_capability", project=PROJECT, capability="network:pypi", reason="The tests need a package."
    )
    request_id = asked["request"]["request_id"]
    waiting = await site.wait(ANN, "wait_for_updates", kinds=["request_decided"], timeout_seconds=50)

    assert "network:pypi" in await prickle(site, "ann", "inbox")
    await prickle(site, "ann", "approve", request_id)

    answer = await waiting
    assert answer["updates"], answer
    told = answer["updates"][0]["request"]
    assert (told["request_id"], told["status"], told["decided_by"]) == (request_id, "approved", "ann")
    agents = (await site.call(ANN, "discover_team_agents", project=PROJECT))["agents"]
    shown = {agent["agent_id"]: agent["capabilities"] for agent in agents}
    assert "network:pypi" in shown[ANN]
    others = (await site.call(BEN, "discover_team_agents", project=PROJECT))["agents"]
    assert not any("network:pypi" in agent["capabilities"] for agent in others)
