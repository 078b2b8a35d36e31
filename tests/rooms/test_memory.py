"""Approved memory and its history (R17)."""

from __future__ import annotations

import pytest
from sqlmodel import select

from libs.contracts.errors import Forbidden, NotFound
from libs.contracts.rooms import GetProject, MemoryEntry, WriteMemory
from services.rooms.domain import FormerValue
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
    assert await former_values(hub, project) == []


async def test_former_values_are_kept_with_who_wrote_them_and_who_replaced_them(hub: Hub) -> None:
    project = await project_of(hub, *CREW)
    first = await write(hub, project, "style", "tabs")
    second = await write(hub, project, "style", "spaces", by="maya")
    third = await write(hub, project, "style", "")
    kept = await former_values(hub, project)
    assert [(row.value, row.updated_by, row.updated_at) for row in kept] == [
        ("tabs", "jonas", first.updated_at),
        ("spaces", "maya", second.updated_at),
    ]
    assert [(row.replaced_by, row.replaced_at) for row in kept] == [
        ("maya", second.updated_at),
        ("jonas", third.updated_at),
    ]


async def former_values(hub: Hub, project: str) -> list[FormerValue]:
    async with hub.services["rooms"].database.read() as session:
        query = select(FormerValue).where(FormerValue.project == project).order_by(FormerValue.id)
        return list(await session.exec(query))


@pytest.mark.parametrize(
    ("who", "refusal"),
    [("maya/codex", Forbidden), ("operator", Forbidden), ("eve", NotFound), ("eve/codex", NotFound)],
)
async def test_only_persons_of_the_project_write_memory(hub: Hub, who: str, refusal: type[Exception]) -> None:
    project = await project_of(hub, *CREW)
    with pytest.raises(refusal):
        await write(hub, project, "style", "tabs", by=who)
    assert await memory(hub, project) == []
