"""What results propose for the project's memory (R17)."""

from __future__ import annotations

import pytest

from libs.contracts.errors import InvalidInput
from tests.tasks.desk import Desk

SERVICES = ("tasks",)
STACK, PORT = {"key": "stack", "value": "Python 3.11"}, {"key": "port", "value": "8080"}


async def test_a_returned_result_announces_what_it_proposes(desk: Desk) -> None:
    """R17."""
    returned = await desk.finish(await desk.take(), memory_proposals=[STACK, PORT])
    assert [proposal.wire() for proposal in returned.result.memory_proposals or ()] == [STACK, PORT]
    [body] = [body for event, body in await desk.announced(returned.task.task_id) if event == "memory_proposed"]
    assert (body["project"], body["agent_id"], body["proposals"]) == ("website", desk.claude, [STACK, PORT])
    assert body["result_id"] == returned.result.result_id
    [shown] = (await desk.whole(returned.task.task_id)).results or ()
    assert shown.memory_proposals == returned.result.memory_proposals


async def test_a_result_that_proposes_nothing_announces_nothing(desk: Desk) -> None:
    returned = await desk.returned()
    assert returned.result.memory_proposals is None
    assert "memory_proposed" not in [event for event, _ in await desk.announced(returned.task.task_id)]


async def test_a_key_that_is_proposed_twice_is_refused(desk: Desk) -> None:
    attempt = await desk.take()
    with pytest.raises(InvalidInput) as refused:
        await desk.finish(attempt, memory_proposals=[STACK, PORT, {**STACK, "value": "Rust"}])
    assert refused.value.data.field == "memory_proposals[2].key"
    assert (await desk.whole(attempt.task_id)).state == "working"
