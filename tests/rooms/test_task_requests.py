"""Task requests are stored once, whoever tells of them first."""

from __future__ import annotations

import asyncio

import pytest

from libs.contracts.errors import NotFound
from libs.contracts.rooms import CollectHandoffFacts, HandoffFacts, RemoveMember, StoreTaskRequest, WriteMemory
from libs.contracts.tasks import TaskAllowed, TaskRequested
from tests.harness import Hub, until
from tests.rooms.given import announce, fresh, mailbox, messages_in, post, project_of

SERVICES = ("rooms",)
CREW = ("maya", "maya/codex", "jonas", "jonas/claude")


def request(project: str, requester: str = "maya/codex") -> dict[str, str]:
    ids = {"message_id": fresh("msg_"), "task_id": fresh("task_")}
    return {"project": project, "requester": requester, "assignee": "jonas/claude", "body": "Fix @maya's app", **ids}


async def test_a_task_request_mentions_its_assignee_alone(hub: Hub) -> None:
    project = await project_of(hub, *CREW)
    asked = request(project)
    stored = (await hub.ask(StoreTaskRequest(**asked))).message
    assert (stored.id, stored.task_id, stored.body) == (asked["message_id"], asked["task_id"], asked["body"])
    assert stored.mentions == ["jonas/claude"]
    assert (stored.author.kind, stored.author.display_name) == ("agent", "Maya/Codex")
    assert stored.provenance == "agent_generated"
    assert await messages_in(hub, project, "maya") == [stored]
    [entry] = await mailbox(hub, "jonas/claude", project)
    assert (entry.kind, entry.body) == ("task_request", {"message": stored.wire()})


async def test_a_persons_task_request_has_no_provenance(hub: Hub) -> None:
    project = await project_of(hub, *CREW)
    stored = (await hub.ask(StoreTaskRequest(**request(project, "maya")))).message
    assert (stored.author.kind, stored.provenance) == ("person", None)


async def test_the_event_after_the_command_changes_nothing(hub: Hub) -> None:
    project = await project_of(hub, *CREW)
    asked, later = request(project), request(project)
    stored = (await hub.ask(StoreTaskRequest(**asked))).message
    await announce(hub, TaskRequested(**asked))
    await announce(hub, TaskRequested(**later))
    both = await until(lambda: stored_by_event(hub, project, later["message_id"]))
    assert both == [stored.id, later["message_id"]]
    assert len(await mailbox(hub, "jonas/claude", project)) == 2


async def stored_by_event(hub: Hub, project: str, message_id: str) -> list[str]:
    ids = [message.id for message in await messages_in(hub, project, "maya")]
    return ids if message_id in ids else []


async def test_the_command_after_the_event_answers_what_is_stored(hub: Hub) -> None:
    project = await project_of(hub, *CREW)
    asked = request(project)
    await announce(hub, TaskRequested(**asked))
    await until(lambda: stored_by_event(hub, project, asked["message_id"]))
    stored = (await hub.ask(StoreTaskRequest(**asked))).message
    assert await messages_in(hub, project, "maya") == [stored]
    assert len(await mailbox(hub, "jonas/claude", project)) == 1


async def test_command_and_event_at_once_store_one_message(hub: Hub) -> None:
    project = await project_of(hub, *CREW)
    asked = [request(project) for _ in range(20)]
    commands = (hub.ask(StoreTaskRequest(**one)) for one in asked)
    await asyncio.gather(*commands, *(announce(hub, TaskRequested(**one)) for one in asked))
    messages = await messages_in(hub, project, "maya")
    assert {message.id for message in messages} == {one["message_id"] for one in asked}
    assert len(await mailbox(hub, "jonas/claude", project)) == len(messages) == 20


async def test_a_held_task_request_is_in_the_room_and_told_once_its_task_is_allowed(hub: Hub) -> None:
    """R2."""
    project = await project_of(hub, *CREW)
    asked = request(project)
    stored = (await hub.ask(StoreTaskRequest(**asked, held=True))).message
    await announce(hub, TaskRequested(**asked, held=True))
    assert await messages_in(hub, project, "jonas") == [stored]
    assert await mailbox(hub, "jonas/claude", project) == []
    for _ in range(2):
        await announce(hub, TaskAllowed(**asked))
    [entry] = await until(lambda: mailbox(hub, "jonas/claude", project))
    assert (entry.kind, entry.body) == ("task_request", {"message": stored.wire()})
    await after_all_events(hub, project)
    assert len([one for one in await mailbox(hub, "jonas/claude", project) if stored.wire() in one.body.values()]) == 1


async def test_a_task_that_is_allowed_before_its_task_request_is_stored_is_told_once(hub: Hub) -> None:
    """R2, R42: events may come in any order."""
    project = await project_of(hub, *CREW)
    asked = request(project)
    await announce(hub, TaskAllowed(**asked))
    await until(lambda: mailbox(hub, "jonas/claude", project))
    await announce(hub, TaskRequested(**asked, held=True))
    stored = (await hub.ask(StoreTaskRequest(**asked, held=True))).message
    await after_all_events(hub, project)
    assert (await messages_in(hub, project, "jonas"))[0] == stored
    entries = await mailbox(hub, "jonas/claude", project)
    assert [entry.body["message"]["id"] for entry in entries].count(stored.id) == 1


async def after_all_events(hub: Hub, project: str) -> None:
    """Return once everything that was announced before is consumed."""
    last = request(project)
    await announce(hub, TaskRequested(**last))
    await until(lambda: stored_by_event(hub, project, last["message_id"]))


async def test_a_task_request_is_stored_even_when_its_requester_has_left(hub: Hub) -> None:
    project = await project_of(hub, *CREW)
    await hub.ask(RemoveMember(project=project, address="maya/codex"))
    stored = (await hub.ask(StoreTaskRequest(**request(project)))).message
    assert stored.author.display_name == "maya/codex"


async def facts(
    hub: Hub, project: str, by: str = "maya/codex", to: str = "jonas/claude", **said: object
) -> HandoffFacts:
    query = CollectHandoffFacts.model_validate({"project": project, "assignee": to, **said})
    return await hub.ask(query, by)


async def test_a_handoff_learns_owner_members_and_messages(hub: Hub) -> None:
    project = await project_of(hub, *CREW)
    first, second = await post(hub, project, "maya", "first"), await post(hub, project, "jonas", "second")
    found = await facts(hub, project, message_ids=[second.id, first.id, second.id])
    assert found.project_owner == "maya"
    assert (found.requester.address, found.assignee.address) == ("maya/codex", "jonas/claude")
    assert found.messages == [second, first]


async def test_a_handoff_goes_from_member_to_member(hub: Hub) -> None:
    project = await project_of(hub, *CREW)
    with pytest.raises(NotFound) as refusal:
        await facts(hub, project, assignee="jonas/codex")
    assert refusal.value.data.field == "to"
    with pytest.raises(NotFound):
        await facts(hub, project, by="eve/codex")


async def test_a_handoff_attaches_messages_of_its_own_room_only(hub: Hub) -> None:
    project = await project_of(hub, *CREW)
    here = await post(hub, project, "maya", "here")
    elsewhere = await post(hub, await project_of(hub, "maya"), "maya", "elsewhere")
    for unknown in (elsewhere.id, "msg_none"):
        with pytest.raises(NotFound) as refusal:
            await facts(hub, project, message_ids=[here.id, unknown])
        assert refusal.value.data.field == "context.message_ids[1]"


async def test_a_handoff_attaches_memory_as_it_is_now(hub: Hub) -> None:
    project = await project_of(hub, *CREW)
    for key, value in (("stack", "Python 3.10"), ("port", "8080"), ("stack", "Python 3.11")):
        await hub.ask(WriteMemory(project=project, key=key, value=value), "maya")
    found = await facts(hub, project, memory_keys=["port", "stack", "port"])
    assert [(entry.key, entry.value) for entry in found.memory] == [("port", "8080"), ("stack", "Python 3.11")]
    assert {entry.provenance for entry in found.memory} == {"owner_instruction"}


async def test_a_handoff_attaches_memory_of_its_own_project_only(hub: Hub) -> None:
    project, other = await project_of(hub, *CREW), await project_of(hub, "maya")
    await hub.ask(WriteMemory(project=project, key="here", value="Yes."), "maya")
    await hub.ask(WriteMemory(project=other, key="elsewhere", value="No."), "maya")
    for unknown in ("elsewhere", "nowhere"):
        with pytest.raises(NotFound) as refusal:
            await facts(hub, project, memory_keys=["here", unknown])
        assert refusal.value.data.field == "context.memory_keys[1]"
