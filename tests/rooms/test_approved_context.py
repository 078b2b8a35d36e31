"""Messages from approved context name the memory entries that they rest on (R17)."""

from __future__ import annotations

from typing import Any

import pytest

from libs.contracts.errors import InvalidInput, NotFound, Problem
from libs.contracts.rooms import DeleteMemory, FindMessage, MessagesPage, ReadMessages, WriteMemory
from tests.harness import Hub
from tests.rooms.given import messages_in, post, project_of

SERVICES = ("rooms",)
CREW = ("maya", "maya/codex", "jonas", "jonas/claude")


async def project_with(hub: Hub, *keys: str) -> str:
    """A project that remembers something under these keys."""
    project = await project_of(hub, *CREW)
    for key in keys:
        await hub.ask(WriteMemory(project=project, key=key, value=f"about {key}"), "maya")
    return project


async def rest(hub: Hub, project: str, *keys: str, **said: Any) -> Any:
    wanted = {"provenance": "from_approved_context", "memory_keys": list(keys), **said}
    return await post(hub, project, "maya/codex", "as agreed", **wanted)


async def refusal_of(hub: Hub, project: str, *keys: str, **said: Any) -> Problem:
    with pytest.raises(Problem) as refusal:
        await rest(hub, project, *keys, **said)
    assert await messages_in(hub, project, "maya") == []
    return refusal.value


async def test_a_message_rests_on_entries_and_whoever_reads_it_sees_which(hub: Hub) -> None:
    project = await project_with(hub, "style", "stack")
    message = await rest(hub, project, "stack", "style")
    plain = await post(hub, project, "maya/codex", "hello")
    assert (message.provenance, plain.provenance) == ("from_approved_context", "agent_generated")
    page: MessagesPage = await hub.ask(ReadMessages(project=project), "jonas")
    assert page.memory_keys == {message.id: ["stack", "style"]}
    found = await hub.ask(FindMessage(project=project, message_id=message.id), "jonas")
    assert found.memory_keys == ["stack", "style"]


async def test_a_missing_entry_is_refused_by_its_place(hub: Hub) -> None:
    """Entries of other projects are missing here."""
    project = await project_with(hub, "style")
    await project_with(hub, "stack")
    refusal = await refusal_of(hub, project, "style", "stack")
    assert (type(refusal), refusal.data.field) == (NotFound, "memory_keys[1]")


async def test_an_entry_that_was_taken_out_of_memory_is_refused(hub: Hub) -> None:
    project = await project_with(hub, "style")
    await hub.ask(DeleteMemory(project=project, key="style"), "maya")
    refusal = await refusal_of(hub, project, "style")
    assert (type(refusal), refusal.data.field) == (NotFound, "memory_keys[0]")


async def test_entries_are_named_with_that_provenance_and_no_other(hub: Hub) -> None:
    project = await project_with(hub, "style")
    for said in ({"memory_keys": None}, {"provenance": "agent_generated"}, {"provenance": None}):
        refusal = await refusal_of(hub, project, "style", **said)
        assert (type(refusal), refusal.data.field) == (InvalidInput, "memory_keys")


async def test_what_a_message_rested_on_stays_with_it(hub: Hub) -> None:
    project = await project_with(hub, "style")
    message = await rest(hub, project, "style")
    await hub.ask(DeleteMemory(project=project, key="style"), "maya")
    assert (await hub.ask(ReadMessages(project=project), "maya")).memory_keys == {message.id: ["style"]}
