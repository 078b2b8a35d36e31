"""What `prickle.testing` hands out of a hub, without containers."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from prickle import HubError, PeopleApi
from prickle.testing.handing_out import HandsOut

from tests.site import Site

SERVICES = ("rooms",)


@dataclass
class SiteHub(HandsOut):
    """A hub of this process."""

    url: str = ""
    operator_token: str = ""


@pytest.fixture(scope="module")
async def hub(site: Site) -> SiteHub:
    """The site as tests of other teams see it."""
    return SiteHub(site.gateway.url, await site.issue("operator", "operator"))


async def aside(asked: Any, *words: Any, **named: Any) -> Any:
    """What a method answers, while this loop serves the hub that it asks."""
    return await asyncio.to_thread(partial(asked, *words, **named))


async def test_an_agent_comes_with_its_owner_and_a_key_that_works(hub: SiteHub) -> None:
    agent = await aside(hub.agent, "ada/codex")
    async with agent.connect() as connected:
        assert "read_room" in {tool.name for tool in await connected.tools()}
    person = await aside(hub.person, "ada")
    async with person.connect() as api:
        known = {one["agent_id"]: one for one in await api.list_agents()}["ada/codex"]
    assert (known["owner"], known["team"], known["takes_tasks_from"]) == ("ada", "acme", "owner")


async def test_asking_again_hands_out_the_same_and_changes_only_what_is_named(hub: SiteHub) -> None:
    first = await aside(hub.agent, "bo/codex", takes_tasks_from="team", capabilities=["tests"])
    assert await aside(hub.agent, "bo/codex") == first
    assert await aside(hub.agent, "bo/codex", takes_tasks_from="owner") == first
    assert await aside(hub.person, "bo") == await aside(hub.person, "bo", team="acme")
    async with PeopleApi.connect(hub.url, hub.operator_token) as api:
        known = {one["agent_id"]: one for one in await api.list_agents()}["bo/codex"]
        assert len(await api.list_agent_keys("bo/codex")) == 1
    assert (known["takes_tasks_from"], known["capabilities"]) == ("owner", ["tests"])


async def test_a_person_is_not_moved_to_another_team(hub: SiteHub) -> None:
    await aside(hub.person, "cy", team="bees")
    with pytest.raises(HubError, match="Leave cy in the team bees"):
        await aside(hub.person, "cy", team="acme")


async def test_a_project_comes_with_its_members_and_their_owners(hub: SiteHub) -> None:
    project = await aside(hub.project, "garden", members=["dee/codex", "eli/claude"])
    assert set(project.members) == {"dee", "eli", "dee/codex", "eli/claude"}
    more = await aside(hub.project, "garden", members=["fay"])
    assert set(more.members) == {*project.members, "fay"}
    async with PeopleApi.connect(hub.url, hub.operator_token) as api:
        assert (await api.get_project("garden"))["owner"] == "dee"


async def test_a_device_is_linked_to_what_was_named_last(hub: SiteHub) -> None:
    await aside(hub.project, "shed", members=["gus/codex"])
    device = await aside(hub.device, "laptop", agents=["gus/codex"], slots=2)
    assert await aside(hub.device, "laptop", agents=["gus/codex"], projects=["shed"]) == device
    async with PeopleApi.connect(hub.url, hub.operator_token) as api:
        [known] = [one for one in await api.list_devices() if one["device_id"] == device.device_id]
    assert (known["owner"], known["agents"], known["projects"], known["slots"]) == ("gus", ["gus/codex"], ["shed"], 2)


async def test_further_keys_are_of_the_kind_that_was_asked_for(hub: SiteHub) -> None:
    await aside(hub.project, "yard", members=["hal/codex"])
    agent, device = await aside(hub.agent, "hal/codex"), await aside(hub.device, "box", agents=["hal/codex"])
    keys = [
        agent.token,
        await aside(hub.key, agent, kind="project", project="yard"),
        device.token,
        await aside(hub.key, device, kind="tasks"),
    ]
    assert [key.split("_")[1] for key in keys] == ["client", "project", "device", "tasks"]


async def test_no_report_of_a_test_shows_a_token(hub: SiteHub) -> None:
    agent, person = await aside(hub.agent, "ida/codex"), await aside(hub.person, "ida")
    device = await aside(hub.device, "desk", agents=["ida/codex"])
    assert not any(one.token in repr(one) for one in (agent, person, device))


@pytest.mark.parametrize("asked", [lambda hub: hub.project("x"), lambda hub: hub.device("x", agents=[])])
def test_what_nobody_would_own_is_not_made(asked: Any) -> None:
    with pytest.raises(ValueError, match="Name "):
        asked(SiteHub())
