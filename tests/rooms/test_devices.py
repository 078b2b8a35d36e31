"""Devices in rooms: discussions of their agents, and the projects that they see."""

from __future__ import annotations

import pytest

from libs.contracts.caller import Caller
from libs.contracts.directory import AgentRemoved, DeviceChanged
from libs.contracts.errors import NotFound
from libs.contracts.mailbox import Entry, ReadRoomsMailbox
from libs.contracts.rooms import FindMessage, FoundMessage, GetProject, RemoveMember, StoreTaskRequest
from tests.harness import Hub, until
from tests.rooms.given import addition, announce, fresh, mailbox, post, project_of

SERVICES = ("rooms",)
CREW = ("maya", "maya/codex", "maya/claude", "jonas", "jonas/claude")


def device_of(owner: str, device_id: str) -> Caller:
    """A device that calls with its own key."""
    return Caller(kind="device", subject=device_id, owner=owner, credential_id="key_device")


async def tell_of(hub: Hub, device_id: str, project: str, version: int = 1, **said: object) -> None:
    """Let rooms hear of a device of maya's, and wait until it has."""
    wanted = {"agents": ["maya/codex"], "projects": [project], "owner": "maya", "slots": 1, **said}
    await announce(hub, DeviceChanged.model_validate({"device_id": device_id, "version": version, **wanted}))
    await heard_everything(hub)


async def heard_everything(hub: Hub) -> None:
    """Wait until what was announced so far has been followed: events are taken in their order."""
    marker, owner = fresh("marker"), fresh("owner")
    agent = f"{owner}/{marker}"
    project = await project_of(hub, owner, agent)
    await announce(hub, AgentRemoved(agent_id=agent))
    await until(lambda: gone(hub, project, agent))


async def gone(hub: Hub, project: str, agent: str) -> bool:
    return agent not in [member.address for member in (await hub.ask(GetProject(project=project))).members]


async def linked_device(hub: Hub, project: str, **said: object) -> str:
    """A device of maya's that runs maya/codex in the project."""
    device_id = fresh("dev_")
    await tell_of(hub, device_id, project, **said)
    return device_id


def told(entries: list[Entry]) -> list[tuple[str, str, str]]:
    return [(entry.kind, entry.body["agent_id"], entry.body["message"]["body"]) for entry in entries]


async def test_a_mention_of_a_linked_agent_is_a_discussion_for_the_device(hub: Hub) -> None:
    """R18: message, mention and discussion are stored together."""
    project = await project_of(hub, *CREW)
    device = await linked_device(hub, project)
    message = await post(hub, project, "jonas/claude", "@maya/codex a word?")
    await post(hub, project, "jonas/claude", "@maya/claude not yours")
    await post(hub, project, "jonas/claude", "nobody's")
    (entry,) = await mailbox(hub, device, project)
    assert (entry.kind, entry.number) == ("discussion", 1)
    assert entry.body == {"message": message.wire(), "agent_id": "maya/codex"}
    assert [one.kind for one in await mailbox(hub, "maya/codex", project)] == ["mention"]


async def test_each_linked_agent_that_is_mentioned_is_a_discussion_of_its_own(hub: Hub) -> None:
    project = await project_of(hub, *CREW)
    both = await linked_device(hub, project, agents=["maya/codex", "maya/claude"])
    one = await linked_device(hub, project)
    await post(hub, project, "jonas", "@maya/codex @maya/claude hello")
    await post(hub, project, "jonas", "all of you", mentions=["all"])
    agents = [entry.body["agent_id"] for entry in await mailbox(hub, both, project)]
    assert sorted(agents) == ["maya/claude", "maya/claude", "maya/codex", "maya/codex"]
    assert len(await mailbox(hub, one, project)) == 2


async def test_only_projects_linked_to_the_device_bring_it_discussions(hub: Hub) -> None:
    project, other = await project_of(hub, *CREW), await project_of(hub, *CREW)
    device = await linked_device(hub, project)
    await post(hub, other, "jonas", "@maya/codex elsewhere")
    await post(hub, project, "jonas", "@maya/codex here")
    assert told(await mailbox(hub, device, project)) == [("discussion", "maya/codex", "@maya/codex here")]
    assert await mailbox(hub, device, other) == []


async def test_a_task_request_is_no_discussion(hub: Hub) -> None:
    project = await project_of(hub, *CREW)
    device = await linked_device(hub, project)
    request = {"project": project, "requester": "jonas", "assignee": "maya/codex", "body": "Please"}
    await hub.ask(StoreTaskRequest.model_validate({**request, "message_id": fresh("msg_"), "task_id": fresh("task_")}))
    assert await mailbox(hub, device, project) == []


async def test_a_change_replaces_the_links_and_a_removal_ends_them(hub: Hub) -> None:
    project = await project_of(hub, *CREW)
    device = await linked_device(hub, project)
    await tell_of(hub, device, project, version=2, agents=["maya/claude"])
    await post(hub, project, "jonas", "@maya/codex @maya/claude one")
    await tell_of(hub, device, project, version=3, removed=True)
    await post(hub, project, "jonas", "@maya/claude two")
    await tell_of(hub, device, project, version=2)
    await post(hub, project, "jonas", "@maya/codex @maya/claude three")
    page = await hub.ask(ReadRoomsMailbox(recipient=device, tool="test", after=0))
    assert (page.position, page.projects, page.entries) == (1, [], [])


async def test_old_news_and_repeated_news_change_nothing(hub: Hub) -> None:
    """R42: a consumer ignores a lower version."""
    project = await project_of(hub, *CREW)
    device = await linked_device(hub, project, version=3, agents=["maya/claude"])
    for version in (3, 2):
        await tell_of(hub, device, project, version=version)
    await post(hub, project, "jonas", "@maya/codex @maya/claude hello")
    assert [entry.body["agent_id"] for entry in await mailbox(hub, device, project)] == ["maya/claude"]


async def test_a_device_waits_in_its_linked_projects_as_long_as_its_owner_is_a_member(hub: Hub) -> None:
    """R26: entries of a project that was left are skipped, and whoever comes back is told to resync."""
    project, other = await project_of(hub, "jonas", *CREW[:2]), await project_of(hub, *CREW)
    device = await linked_device(hub, project, projects=[project, other])
    await post(hub, project, "jonas", "@maya/codex left")
    await post(hub, other, "jonas", "@maya/codex stayed")
    await hub.ask(RemoveMember(project=project, address="maya"))
    page = await hub.ask(ReadRoomsMailbox(recipient=device, tool="test", after=0))
    assert [entry.project for entry in page.entries] == [other]
    assert (page.projects, page.resync) == ([other], False)
    await hub.ask(addition(project, "maya"))
    page = await hub.ask(ReadRoomsMailbox(recipient=device, tool="test", after=page.position, rejoins=page.rejoins))
    assert (sorted(page.projects), page.resync) == (sorted([project, other]), True)


@pytest.mark.parametrize("kind", ["device", "tasks"])
async def test_a_device_sees_its_linked_projects_and_no_others(hub: Hub, kind: str) -> None:
    project, other = await project_of(hub, "jonas", *CREW[:2]), await project_of(hub, *CREW)
    caller = device_of("maya", await linked_device(hub, project)).model_copy(update={"kind": kind})
    assert (await hub.ask(GetProject(project=project), caller)).owner == "jonas"
    strangers = (device_of("maya", fresh("dev_")), device_of("maya", await linked_device(hub, other)))
    refused = [(other, caller), (fresh(), caller), *((project, stranger) for stranger in strangers)]
    await hub.ask(RemoveMember(project=project, address="maya"))
    for slug, who in [*refused, (project, caller)]:
        with pytest.raises(NotFound):
            await hub.ask(GetProject(project=slug), who)


async def found(hub: Hub, project: str, message_id: str, by: Caller | str) -> FoundMessage:
    return await hub.ask(FindMessage(project=project, message_id=message_id), by)


async def test_a_message_is_found_by_members_and_linked_devices_with_the_agents_that_it_mentions(hub: Hub) -> None:
    """R14: what a claim of a discussion needs to know."""
    project = await project_of(hub, *CREW)
    device = device_of("maya", await linked_device(hub, project))
    message = await post(hub, project, "jonas", "@maya and @maya/codex?")
    for reader in (device, "jonas/claude", "maya"):
        assert await found(hub, project, message.id, reader) == FoundMessage(
            message=message, is_task_request=False, mentioned=["maya/codex"]
        )
    everybody = await post(hub, project, "jonas", "all", mentions=["all"])
    assert (await found(hub, project, everybody.id, device)).mentioned == ["maya/codex", "maya/claude", "jonas/claude"]
    await hub.ask(RemoveMember(project=project, address="maya/codex"))
    assert (await found(hub, project, message.id, device)).mentioned == []


async def test_a_task_request_is_found_as_one(hub: Hub) -> None:
    project = await project_of(hub, *CREW)
    request = {"project": project, "requester": "jonas", "assignee": "maya/codex", "body": "Please"}
    command = StoreTaskRequest.model_validate({**request, "message_id": fresh("msg_"), "task_id": fresh("task_")})
    stored = (await hub.ask(command)).message
    assert (await found(hub, project, stored.id, "maya/codex")).is_task_request


async def test_a_message_is_found_in_its_own_project_only_and_by_nobody_else(hub: Hub) -> None:
    project, other = await project_of(hub, *CREW), await project_of(hub, *CREW)
    message = await post(hub, project, "jonas", "@maya/codex here")
    elsewhere = device_of("maya", await linked_device(hub, other))
    for slug, by, field in (
        (other, "maya/codex", "message_id"),
        (other, elsewhere, "message_id"),
        (project, elsewhere, "project"),
        (project, "stranger/bot", "project"),
    ):
        with pytest.raises(NotFound) as refused:
            await found(hub, slug, message.id, by)
        assert refused.value.data.field == field
