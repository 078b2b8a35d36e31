"""Handing tasks off over the bus (R2)."""

from __future__ import annotations

import pytest

from libs.contracts.errors import InvalidInput, Unavailable
from tests.tasks.desk import Desk
from tests.tasks.given import a_handoff, a_memory_entry, a_message

SERVICES = ("tasks",)


async def test_the_assignee_finds_the_task_in_its_mailbox(desk: Desk) -> None:
    task = await desk.hand_off()
    [entry] = await desk.entries(desk.claude)
    assert (entry.kind, entry.project, entry.body) == ("task_requested", "website", {"task": task.wire()})
    assert await desk.entries(desk.codex) == []


async def test_rooms_learns_which_task_request_to_store(desk: Desk) -> None:
    task = await desk.hand_off()
    [(event, body)] = await desk.announced(task.task_id)
    assert (event, body["message_id"], body["assignee"]) == ("task_requested", task.message_id, desk.claude)
    assert body["body"] == "**Fix the form**\n\nIt loses input."


async def test_the_packet_keeps_its_contents_as_they_were(desk: Desk) -> None:
    context = {"memory_keys": ["stack"], "message_ids": ["msg_0"], "files": ["src/form.ts"], "branch": "form"}
    task = await desk.hand_off(messages=[a_message()], memory=[a_memory_entry()], context=context)
    packet = (await desk.whole(task.task_id, by=desk.claude)).packet
    assert packet is not None
    assert packet.context.messages == [a_message()]
    assert packet.context.memory == [a_memory_entry()]
    assert (packet.context.files, packet.context.branch, task.branch) == (["src/form.ts"], "form", "form")


async def test_a_refused_handoff_leaves_nothing(desk: Desk) -> None:
    with pytest.raises(InvalidInput):
        await desk.hand_off(due_at=desk.hub.clock.now)
    assert await desk.entries(desk.claude) == []
    assert (await desk.inbox(role="requester")).tasks == []


async def test_a_person_hands_off_too(desk: Desk) -> None:
    task = await desk.hand_off(by=desk.maya)
    assert task.requester == desk.maya
    assert await desk.kinds(desk.claude) == ["task_requested"]


async def test_a_handoff_without_the_gateways_facts_is_a_crash_and_opens_nothing(desk: Desk) -> None:
    with pytest.raises(Unavailable):
        await desk.hub.ask(a_handoff(to=desk.claude), desk.codex)
    assert await desk.entries(desk.claude) == []
