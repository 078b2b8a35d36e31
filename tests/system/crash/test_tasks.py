"""Handoffs, attempts and results while every process of a hub is killed under load (R5, R40, R43, R44)."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.harness import until
from tests.runtime.running import PROJECT, Up, running
from tests.system.crash.load import EMPTIED, Agent, Progress, agents

pytestmark = pytest.mark.timeout(240)

ROUNDS = [("tasks", 2), ("rooms", 4), ("tasks", 7), ("gateway", 5), (EMPTIED, 6), ("valkey", 3), ("tasks", 8)]
"""Who is killed in each round, and after how many of its calls."""
TASKS_EACH = 3
PACKET = {"objective": "Count the pages.", "acceptance": ["They are counted"], "evidence": [["note"]]}
PROOF = {"kind": "note", "ref": "There are 12."}


@pytest.fixture
async def crew(tmp_path: Path) -> AsyncIterator[tuple[Up, dict[str, Agent]]]:
    with running(tmp_path, "--demo") as up:
        async with agents(up) as crew:
            yield up, {agent.address: agent for agent in crew}


async def test_a_task_that_is_handed_off_taken_and_returned_under_kills_is_one_task_with_one_result(
    crew: tuple[Up, dict[str, Agent]],
) -> None:
    up, friends = crew
    asker, doer = friends["maya/codex"], friends["jonas/claude"]
    follow = asyncio.create_task(asker.follow("wait_for_updates", "updates"))
    progress = Progress()
    tasks: list[dict[str, Any]] = []
    for number, (victim, answers) in enumerate(ROUNDS):
        works = (work(asker, doer, f"{number}.{line}", progress) for line in range(TASKS_EACH))
        _, *done = await asyncio.gather(progress.kill_after(answers, up, victim), *works)
        tasks += done
    ids = sorted(task["task_id"] for task in tasks)
    assert len(set(ids)) == len(ROUNDS) * TASKS_EACH
    for agent, role in ((asker, "requester"), (doer, "assignee")):
        assert await inbox(agent, role) == ids
    for task_id in ids:
        await check_whole(asker, task_id)
    assert sorted(message["task_id"] for message in await asker.messages()) == ids
    await check_updates(asker, follow, ids)


async def work(asker: Agent, doer: Agent, name: str, progress: Progress) -> dict[str, Any]:
    """One task from handoff to result, each call under a key of its own."""

    async def call(agent: Agent, tool: str, **arguments: Any) -> dict[str, Any]:
        answer = await agent.insist(tool, idempotency_key=f"{tool} {name}", **arguments)
        progress.answered += 1
        return answer

    handed = await call(asker, "handoff", project=PROJECT, to=doer.address, title=name, **PACKET)
    task_id = handed["task"]["task_id"]
    taken = await call(doer, "accept_task", task_id=task_id)
    named = {"task_id": task_id, "attempt_id": taken["attempt"]["attempt_id"]}
    returned = await call(doer, "return_result", **named, outcome="done", summary="12", evidence=[PROOF])
    task: dict[str, Any] = returned["task"]
    return task


async def inbox(agent: Agent, role: str) -> list[str]:
    """The ids of all tasks that an agent asked for or was asked to do."""
    ids: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = await agent.insist("check_inbox", role=role, limit=10, **cursor)
        ids += [task["task_id"] for task in page["tasks"]]
        if page["next_cursor"] is None:
            return sorted(ids)
        cursor = {"cursor": page["next_cursor"]}


async def check_whole(agent: Agent, task_id: str) -> None:
    """A task that was taken once and has one result."""
    (whole,) = (await agent.insist("check_inbox", task_id=task_id))["tasks"]
    assert whole["state"] == "returned"
    assert whole["attempts_used"] == 1
    assert len(whole["results"]) == 1


async def check_updates(agent: Agent, follow: asyncio.Task[None], ids: list[str]) -> None:
    """The requester was told of each task once that it was taken and once that its result is there."""
    await until(lambda: follow.done() or told(agent).total() >= 2 * len(ids), seconds=40)
    follow.cancel()
    await asyncio.wait([follow])
    await agent.wait_once("wait_for_updates", "updates", timeout_seconds=0)
    assert told(agent) == Counter((kind, task_id) for kind in ("task_updated", "result_returned") for task_id in ids)


def told(agent: Agent) -> Counter[tuple[str, str]]:
    """How often an agent was told what about which task."""
    return Counter((update["kind"], update["task"]["task_id"]) for update in agent.delivered if "task" in update)
