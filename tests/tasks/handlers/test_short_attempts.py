"""Attempts of one second (R3, R4)."""

from __future__ import annotations

from tests.tasks.desk import Desk
from tests.tasks.runners import Runner

SERVICES = ("tasks",)
SETTINGS = {"attempt_deadline_seconds": 1.0}


async def test_a_run_renewed_in_time_is_never_handed_out_again_and_one_that_is_not_exactly_once(desk: Desk) -> None:
    """An attempt of 1 s, renewed each 0.3 s for 5 s by its own calls and by its device in turn; then silence."""
    task, runner = await desk.hand_off(), Runner(desk)
    await runner.claim(task)
    for number in range(17):
        desk.hub.clock.advance(0.3)
        await desk.hub.tick("tasks")
        await (runner.token() if number % 2 else runner.wait())
        await desk.hub.tick("tasks")
    assert await desk.kinds(desk.claude) == ["task_requested"]
    for _ in range(10):
        desk.hub.clock.advance(0.3)
        await desk.hub.tick("tasks")
    assert await desk.kinds(desk.claude) == ["task_requested", "task_requested"]
    assert (await desk.whole(task.task_id)).attempts_used == 1
