"""Approved memory and its history (R17)."""

from __future__ import annotations

import pytest

from libs.contracts.errors import Forbidden, NotFound
from libs.contracts.rooms import (
    DeleteMemory,
    ExportMemory,
    GetProject,
    MemoryEntry,
    MemoryHistory,
    MemoryVersion,
    WriteMemory,
)
from tests.harness import Hub
from tests.rooms.given import mailbox, project_of

SERVICES = ("rooms",)
CREW = ("maya", "maya/codex", "jonas", "jonas/claude")


async def write(hub: Hub, project: str, key: str, value: str, by: str = "jonas") -> MemoryEntry:
    hub.clock.advance(seconds=1)
    return (await hub.ask(WriteMemory(project=project, key=key, value=value), by)).entry


async def memory(hub: Hub, project: str) -> list[MemoryEntry]:
    return (await hub.ask(GetProject(project=project), "maya/codex")).memory


async def test_what_a_person_writes_is_memory_newest_first(hub: Hub) -> None:
    project = await project_of(hub, *CREW)
    style = await write(hub, project, "style", "tabs")
    stack = await write(hub, project, "stack", "python", by="maya")
    assert (style.provenance, style.updated_by, style.value) == ("owner_instruction", "jonas", "tabs")
    assert stack.updated_at == hub.clock.now
    assert await memory(hub, project) == [stack, style]
    again = await write(hub, project, "style", "spaces")
    assert await memory(hub, project) == [again, stack]


async def test_every_member_agent_learns_of_changed_memory(hub: Hub) -> None:
    project = await project_of(hub, *CREW)
    entry = await write(hub, project, "style", "tabs")
    for agent in ("maya/codex", "jonas/claude"):
        [told] = await mailbox(hub, agent, project)
        assert (told.kind, told.body) == ("memory_changed", {"entry": entry.wire()})


async def test_writing_what_stands_there_changes_nothing(hub: Hub) -> None:
    project = await project_of(hub, *CREW)
    entry = await write(hub, project, "style", "tabs")
    assert await write(hub, project, "style", "tabs", by="maya") == entry
    assert len(await mailbox(hub, "maya/codex", project)) == 1
    assert len(await history(hub, project, "style")) == 1


async def test_former_values_are_kept_with_who_wrote_them_and_who_replaced_them(hub: Hub) -> None:
    project = await project_of(hub, *CREW)
    first = await write(hub, project, "style", "tabs")
    second = await write(hub, project, "style", "spaces", by="maya")
    third = await write(hub, project, "style", "")
    versions = await history(hub, project, "style")
    assert [(one.value, one.updated_by, one.updated_at) for one in versions] == [
        ("", "jonas", third.updated_at),
        ("spaces", "maya", second.updated_at),
        ("tabs", "jonas", first.updated_at),
    ]
    assert [(one.ended_by, one.ended_at) for one in versions] == [
        (None, None),
        ("jonas", third.updated_at),
        ("maya", second.updated_at),
    ]
    assert {one.provenance for one in versions} == {"owner_instruction"}


async def history(hub: Hub, project: str, key: str, by: str = "jonas/claude") -> list[MemoryVersion]:
    shown = await hub.ask(MemoryHistory(project=project, key=key), by)
    assert shown.key == key
    return shown.versions


async def forget(hub: Hub, project: str, key: str, by: str = "maya") -> MemoryEntry:
    hub.clock.advance(seconds=1)
    return (await hub.ask(DeleteMemory(project=project, key=key), by)).entry


async def test_a_deleted_entry_is_gone_its_history_stays_and_every_agent_learns_of_it(hub: Hub) -> None:
    project = await project_of(hub, *CREW)
    entry = await write(hub, project, "style", "tabs")
    assert await forget(hub, project, "style") == entry
    assert await memory(hub, project) == []
    [version] = await history(hub, project, "style")
    assert (version.value, version.ended_by, version.ended_at) == ("tabs", "maya", hub.clock.now)
    for agent in ("maya/codex", "jonas/claude"):
        told = (await mailbox(hub, agent, project))[-1]
        assert (told.kind, told.body) == ("memory_changed", {"entry": entry.wire(), "removed": True})


async def test_deleting_again_changes_nothing_and_an_entry_may_come_back(hub: Hub) -> None:
    project = await project_of(hub, *CREW)
    await write(hub, project, "style", "tabs")
    gone = await forget(hub, project, "style")
    assert await forget(hub, project, "style", by="jonas") == gone
    assert len(await mailbox(hub, "maya/codex", project)) == 2
    back = await write(hub, project, "style", "tabs")
    assert await memory(hub, project) == [back]
    assert [one.ended_by for one in await history(hub, project, "style")] == [None, "maya"]


async def test_what_was_never_remembered_is_not_found(hub: Hub) -> None:
    project = await project_of(hub, *CREW)
    await write(hub, await project_of(hub, *CREW), "style", "tabs")
    for ask in (forget, history):
        with pytest.raises(NotFound) as refusal:
            await ask(hub, project, "style")
        assert refusal.value.data.field == "key"


async def test_an_export_holds_all_that_is_and_was_remembered_by_key(hub: Hub) -> None:
    project = await project_of(hub, *CREW)
    await write(hub, project, "style", "tabs")
    await write(hub, project, "stack", "python")
    await write(hub, project, "style", "spaces")
    await write(hub, project, "old", "gone")
    await forget(hub, project, "old")
    exported = await hub.ask(ExportMemory(project=project), "maya")
    assert (exported.project, exported.name, exported.exported_at) == (project, "Website", hub.clock.now)
    assert [entry.key for entry in exported.entries] == ["old", "stack", "style"]
    for entry in exported.entries:
        assert entry.versions == await history(hub, project, entry.key)


async def test_outsiders_learn_nothing_of_a_projects_memory(hub: Hub) -> None:
    project = await project_of(hub, *CREW)
    await write(hub, project, "style", "tabs")
    for query in (MemoryHistory(project=project, key="style"), ExportMemory(project=project)):
        for who in ("eve", "eve/codex"):
            with pytest.raises(NotFound) as refusal:
                await hub.ask(query, who)
            assert refusal.value.data.field == "project"


@pytest.mark.parametrize(
    ("who", "refusal"),
    [("maya/codex", Forbidden), ("operator", Forbidden), ("eve", NotFound), ("eve/codex", NotFound)],
)
async def test_only_persons_of_the_project_write_and_delete_memory(
    hub: Hub, who: str, refusal: type[Exception]
) -> None:
    project = await project_of(hub, *CREW)
    entry = await write(hub, project, "style", "tabs")
    with pytest.raises(refusal):
        await write(hub, project, "style", "spaces", by=who)
    with pytest.raises(refusal):
        await forget(hub, project, "style", by=who)
    assert await memory(hub, project) == [entry]
