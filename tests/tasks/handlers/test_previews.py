"""Previews over the bus: exactly what the assignee would get, and nothing written."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from libs.contracts.errors import InvalidInput
from libs.contracts.tasks import PacketPreview, PreviewPacket
from tests.tasks.desk import Desk
from tests.tasks.given import a_handoff, a_memory_entry, a_message, facts

SERVICES = ("tasks",)


async def preview(desk: Desk, **said: Any) -> PacketPreview:
    known = facts(project_owner=desk.rosa, **said.pop("known", {}))
    plain = a_handoff(**{"to": desk.claude, **said}).model_dump(exclude={"facts", "idempotency_key"})
    return await desk.hub.ask(PreviewPacket(**plain, facts=known), desk.codex)


async def test_a_preview_is_the_packet_that_the_assignee_then_gets(desk: Desk) -> None:
    context = {"memory_keys": ["stack"], "message_ids": ["msg_0"], "files": ["src/form.ts"], "branch": "form"}
    attached = {"messages": [a_message()], "memory": [a_memory_entry()]}
    shown = await preview(desk, context=context, evidence=[["commit"]], known=attached)
    task = await desk.hand_off(context=context, evidence=[["commit"]], **attached)
    assert shown.packet == (await desk.whole(task.task_id, by=desk.claude)).packet
    assert (shown.left_out, shown.may_take, shown.why_not) == ([], True, None)


async def test_a_preview_tells_the_packets_size(desk: Desk) -> None:
    shown = await preview(desk, objective="é" * 4000)
    text = orjson.dumps(shown.packet.wire())
    assert shown.characters == len(text.decode())
    assert shown.estimated_tokens == -(-len(text) // 4)


async def test_a_preview_writes_nothing_and_tells_nobody(desk: Desk) -> None:
    await preview(desk)
    assert await desk.entries(desk.claude) == []
    assert (await desk.inbox()).tasks == []


async def test_a_preview_says_what_does_not_fit(desk: Desk) -> None:
    attached = {"messages": [a_message(number, "€" * 2700) for number in range(8)], "memory": [a_memory_entry()]}
    shown = await preview(desk, objective="o" * 8000, known=attached)
    task = await desk.hand_off(objective="o" * 8000, **attached)
    assert shown.packet == (await desk.whole(task.task_id, by=desk.claude)).packet
    kept = len(shown.packet.context.messages)
    assert kept < 8
    assert [left.what for left in shown.left_out] == [f"{8 - kept} messages"]
    assert "64 KiB" in shown.left_out[0].why


async def test_a_preview_says_when_the_assignees_owner_must_allow_the_task_first(desk: Desk) -> None:
    """R2."""
    shown = await preview(desk, known={"takes_tasks_from": "owner"})
    assert not shown.may_take
    assert desk.jonas in (shown.why_not or "")


async def test_a_preview_is_refused_where_the_handoff_would_be(desk: Desk) -> None:
    with pytest.raises(InvalidInput) as refused:
        await preview(desk, due_at=desk.hub.clock.now)
    assert refused.value.data.field == "due_at"
