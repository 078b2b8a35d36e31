"""What devices hear and see through the tools."""

from __future__ import annotations

from typing import Any

import pytest

from libs.contracts.caller import Caller
from libs.contracts.directory import RegisterDevice, RemoveDevice, UpdateDevice
from tests.harness import until
from tests.site import Refused, Site

MAYA = Caller(kind="person", subject="maya")


@pytest.fixture(scope="module")
async def laptop(site: Site) -> str:
    """A device of maya's in the garden with her codex; its keys are the tokens `device` and `tasks`."""
    for project in ("garden", "workshop"):
        await site.introduce(project, "maya/codex", "jonas/claude")
    wanted = RegisterDevice(name="Laptop", agents=["maya/codex"], projects=["garden"])
    device = await site.gateway.app.gateway.ask(wanted, MAYA)
    for kind in ("device", "tasks"):
        site.tokens[kind] = await site.issue(device.device_id, kind)
    await until(lambda: sees(site, "garden"))
    return device.device_id


async def sees(site: Site, project: str) -> bool:
    """Whether the device may read a project, as far as rooms has heard."""
    try:
        await site.call("device", "get_project_context", project=project)
    except Refused:
        return False
    return True


async def updates(site: Site, who: str, **asked: Any) -> list[dict[str, Any]]:
    """What a wait finds at once."""
    found = await site.call(who, "wait_for_updates", timeout_seconds=0, **asked)
    items: list[dict[str, Any]] = found["updates"]
    return items


async def test_a_device_hears_discussions_of_its_linked_agents_and_projects(site: Site, laptop: str) -> None:
    """R19: in a mailbox of its own."""
    await site.call("jonas/claude", "post_message", project="workshop", body="@maya/codex elsewhere")
    posted = await site.call("jonas/claude", "post_message", project="garden", body="@maya/codex are you there?")
    (update,) = await updates(site, "device")
    assert (update["kind"], update["project"], update["agent_id"]) == ("discussion", "garden", "maya/codex")
    assert update["message"] == posted["message"]
    assert [one["kind"] for one in await updates(site, "maya/codex", project="garden")] == ["mention"]


async def test_the_narrow_tasks_key_hears_no_discussions(site: Site, laptop: str) -> None:
    await site.call("jonas/claude", "post_message", project="garden", body="@maya/codex for the device alone")
    assert [one["kind"] for one in await updates(site, "tasks")] == []


async def test_a_device_is_woken_by_a_mention(site: Site, laptop: str) -> None:
    seen = (await site.call("device", "wait_for_updates", timeout_seconds=0))["next_cursor"]
    wait = await site.wait("device", "wait_for_updates", cursor=seen, timeout_seconds=20)
    await site.call("jonas/claude", "post_message", project="garden", body="@maya/codex wake up")
    (update,) = (await wait)["updates"]
    assert update["message"]["body"] == "@maya/codex wake up"


async def test_nobody_in_a_project_is_the_device_that_reads_its_context(site: Site, laptop: str) -> None:
    context = await site.call("device", "get_project_context", project="garden")
    assert {member["address"] for member in context["members"]} == {"maya", "maya/codex", "jonas", "jonas/claude"}
    assert not any(member["is_you"] for member in context["members"])
    with pytest.raises(Refused) as refused:
        await site.call("device", "get_project_context", project="workshop")
    assert refused.value.code == "not_found"


async def test_a_project_that_is_linked_later_is_seen_and_a_removed_device_is_out_at_once(
    site: Site, laptop: str
) -> None:
    """R46: whatever was linked to it."""
    ask = site.gateway.app.gateway.ask
    await ask(UpdateDevice(device_id=laptop, projects=["workshop"]), MAYA)
    await until(lambda: sees(site, "workshop"))
    assert not await sees(site, "garden")
    await ask(RemoveDevice(device_id=laptop), MAYA)
    await site.gateway.app.gateway.tokens.changed()
    response = await site.post("device", "tools/list", {})
    assert response.status_code == 401
