"""`PrickleCompose` on the compose.yaml of this checkout."""

from __future__ import annotations

from pathlib import Path

import pytest
from prickle.testing import CannotStart, PrickleCompose
from prickle.testing.compose import compose_command

from tests.system.containers.hub import docker

ROOT = Path(__file__).parents[3]


@pytest.mark.timeout(300)
async def test_the_checkouts_hub_hands_out_agents_outlasts_a_restart_and_leaves_nothing(image: str) -> None:
    try:
        compose_command()
    except CannotStart as reason:
        pytest.skip(f"{reason} PrickleCompose was not tested")
    with PrickleCompose(ROOT, environment={"PRICKLE_IMAGE": image}) as hub:
        hub.project("website-v2", members=["maya/codex"])
        hub.compose("restart", "gateway")
        hub.wait_until_ready()
        async with hub.agent("maya/codex").connect() as maya:
            context = await maya.call("get_project_context", project="website-v2")
        assert {member["address"] for member in context["members"]} == {"maya", "maya/codex"}
        ours = f"label=com.docker.compose.project={hub.project_name}"
        assert len(docker("ps", "--quiet", "--filter", ours).split()) == 7
    for kind in (["ps", "--all"], ["volume", "ls"], ["network", "ls"]):
        assert docker(*kind, "--quiet", "--filter", ours) == ""
