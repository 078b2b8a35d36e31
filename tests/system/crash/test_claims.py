"""Claims, runs and reports while the processes of a hub are killed (R5, R10, R38, R39, R40, R44)."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from prickle import Hub, HubError, PeopleApi
from redis.asyncio import Redis

from libs.bus.streams import commands
from libs.runtime.valkey import EmbeddedValkey
from tests.harness import until
from tests.process_tree import frozen
from tests.runtime.running import PROJECT, Up, running
from tests.system.crash.load import EMPTIED, Agent, Progress, agents, kill

pytestmark = pytest.mark.timeout(240)
ROUNDS = [("gateway", 2), ("tasks", 4), ("runs", 7), ("gateway", 9), (EMPTIED, 6), ("tasks", 11), ("gateway", 5)]
"""Who is killed in each round, and after how many of its calls."""
TASKS_EACH = 3
DEVICE, DOER = "maya-laptop", "maya/codex"
REDIS_NUMBER = 250
PACKET = {"title": "Count", "objective": "Count the pages.", "acceptance": ["They are counted"]}
RESULT = {"outcome": "done", "summary": "12", "evidence": [{"kind": "note", "ref": "There are 12."}]}
USED = {"input_tokens": 1200, "output_tokens": 340, "turns": None, "duration_ms": 91000, "exit_code": 0}


@dataclass
class Household:
    """Maya's laptop, jonas's agent that asks for things, and maya herself."""

    up: Up
    asker: Agent
    device: Agent
    maya: PeopleApi

    @asynccontextmanager
    async def run(self, task_id: str, key: str) -> AsyncIterator[Agent]:
        """A run of a task, claimed under a key."""
        claimed = await self.device.insist("claim_task", task_id=task_id, idempotency_key=key)
        async with Hub.at(self.up.told["url"], claimed["execution_credential"]["token"]) as hub:
            yield Agent(DOER, hub)

    async def whole(self, task_id: str) -> dict[str, Any]:
        """The task as who asked for it sees it."""
        (task,) = (await self.asker.insist("check_inbox", task_id=task_id))["tasks"]
        return task


@asynccontextmanager
async def household(up: Up) -> AsyncIterator[Household]:
    async with (
        agents(up) as friends,
        Hub.connect(up.told["url"], up.told["devices"][DEVICE]) as device,
        PeopleApi.connect(up.told["url"], up.told["persons"]["maya"]) as maya,
    ):
        (laptop,) = await maya.list_devices()
        await maya.update_device(laptop["device_id"], slots=TASKS_EACH)
        (asker,) = (agent for agent in friends if agent.address == "jonas/claude")
        yield Household(up, asker, Agent(DEVICE, device), maya)


async def test_a_task_that_is_run_and_reported_under_kills_has_one_attempt_one_result_and_one_record(
    tmp_path: Path,
) -> None:
    with running(tmp_path, "--demo") as up:
        async with household(up) as home:
            progress = Progress()
            runs: dict[str, str] = {}
            for victim, answers in ROUNDS:
                works = (work(home, progress) for _ in range(TASKS_EACH))
                _, *done = await asyncio.gather(progress.kill_after(answers, up, victim), *works)
                runs |= dict(done)
            assert len(runs) == len(ROUNDS) * TASKS_EACH
            for task_id in runs:
                whole = await home.whole(task_id)
                assert (whole["state"], whole["attempts_used"], len(whole["results"])) == ("returned", 1, 1)
            records = (await home.maya.list_runs())["runs"]
            assert {record["task_id"]: record["run_id"] for record in records} == runs
            assert len(records) == len(runs)


async def work(home: Household, progress: Progress) -> tuple[str, str]:
    """One task from handoff to report; its id and its run's."""
    run_id = str(uuid4())

    async def call(agent: Agent, tool: str, **arguments: Any) -> dict[str, Any]:
        answer = await agent.insist(tool, **arguments)
        progress.answered += 1
        return answer

    asked = {"project": PROJECT, "to": DOER, **PACKET}
    handed = await call(home.asker, "handoff", **asked, idempotency_key=f"handoff {run_id}")
    task_id: str = handed["task"]["task_id"]
    async with home.run(task_id, run_id) as run:
        progress.answered += 1
        await call(run, "checkpoint", task_id=task_id, summary="Half.", idempotency_key=f"checkpoint {run_id}")
        await call(run, "return_result", task_id=task_id, **RESULT, idempotency_key=f"result {run_id}")
    await call(home.device, "report_run", project=PROJECT, task_id=task_id, run_id=run_id, **USED)
    return task_id, run_id


async def test_a_claim_whose_gateway_died_before_it_answered_is_the_same_attempt_with_a_working_token(
    tmp_path: Path, valkey: EmbeddedValkey
) -> None:
    """R10: what the dead gateway would have shown is worth nothing."""
    redis_url = f"redis://127.0.0.1:{valkey.port}/{REDIS_NUMBER}"
    with running(tmp_path, "--demo", "--redis-url", redis_url) as up:
        async with household(up) as home, Redis.from_url(redis_url) as redis:
            handed = await home.asker.insist("handoff", project=PROJECT, to=DOER, **PACKET)
            task_id = handed["task"]["task_id"]
            with frozen(up.pids["tasks"]):
                await claim_at_a_gateway_that_dies(home, task_id, redis)
            await until(lambda: is_working(home, task_id), seconds=30)
            lost = kept_digest(up, task_id)
            async with home.run(task_id, "run") as run:
                assert kept_digest(up, task_id) not in ("", lost)
                assert (await run.insist("check_inbox"))["tasks"][0]["task_id"] == task_id
            assert (await home.whole(task_id))["attempts_used"] == 1


async def claim_at_a_gateway_that_dies(home: Household, task_id: str, redis: Redis) -> None:
    """Send a claim, and let its gateway die once the claim is on its way."""
    stream = commands("tasks")
    before = (await redis.xinfo_stream(stream))["last-generated-id"]
    claiming = asyncio.create_task(home.device.hub.call("claim_task", task_id=task_id, idempotency_key="run"))

    async def is_sent() -> bool:
        return bool((await redis.xinfo_stream(stream))["last-generated-id"] != before)

    await until(is_sent)
    await kill(home.up, "gateway")
    with pytest.raises(HubError) as refused:
        await claiming
    assert refused.value.code == "unavailable"


async def is_working(home: Household, task_id: str) -> bool:
    return bool((await home.whole(task_id))["state"] == "working")


def kept_digest(up: Up, task_id: str) -> str:
    """The SHA-256 of the one token that is good for a task's attempt."""
    with closing(sqlite3.connect(up.data / "tasks.db", timeout=10)) as database:
        (row,) = database.execute("SELECT token_sha256 FROM attempts WHERE task_id = ?", (task_id,)).fetchall()
    return str(row[0] or "")
