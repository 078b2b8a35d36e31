"""(d) Devices that compete for the same tasks: claims won in a second, and how long a claim takes."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson
import uvloop

from tests.bench.hub import AT_ONCE, PROJECT, Agent, Hub, running_hub
from tests.bench.load import CallFailed, Connection, Timings, tool_call
from tests.bench.report import Figure

DEVICES = 32
TASKS = 1000
LOST, FULL = b'\\"code\\":\\"conflict\\"', b'\\"code\\":\\"limit_exceeded\\"'
PACKET = {"title": "Count", "objective": "Count the pages.", "acceptance": ["They are counted"]}


@dataclass
class Race:
    """How long the claims took that won and those that lost, in milliseconds, and which attempts the winners have."""

    won: list[float] = field(default_factory=list)
    lost: list[float] = field(default_factory=list)
    attempts: dict[str, str] = field(default_factory=dict)
    """The task of each attempt."""
    handing_off_seconds: float = 0.0
    """How long it took to hand off the tasks."""
    seconds: float = 0.0


def measure() -> list[Figure]:
    """The figures of a hub of its own; raises AssertionError unless each task was given to one device."""
    with running_hub(members=2, devices=DEVICES) as hub:
        race = uvloop.run(compete(hub))
    won, lost = (Timings(sorted(taken), race.seconds) for taken in (race.won, race.lost))
    calls = (len(race.won) + len(race.lost)) / race.seconds
    name = f"(d) claim_task, {DEVICES} devices compete for {TASKS:,} tasks"
    return [
        Figure(name, f"{won.calls_per_second:,.0f} claims won/s of {calls:,.0f} calls/s"),
        Figure("(d) claim_task that wins", won.latency),
        Figure("(d) claim_task that loses", lost.latency),
        Figure("(d) attempts at these tasks", f"{len(race.attempts):,}", f"{TASKS:,}", len(race.attempts) == TASKS),
    ]


async def compete(hub: Hub) -> Race:
    """Hand off the tasks, and let all devices claim them; raises AssertionError unless each was given to one."""
    started, race = time.perf_counter(), Race()
    tasks = await _hand_off(hub)
    race.handing_off_seconds = time.perf_counter() - started
    started = time.perf_counter()
    await asyncio.gather(*(_compete(hub, device, tasks, race) for device in hub.devices))
    race.seconds = time.perf_counter() - started
    assert sorted(race.attempts.values()) == sorted(tasks), "a task was given to two devices, or to none"
    used = {task["task_id"]: task["attempts_used"] async for task in _inbox(hub)}
    assert used == dict.fromkeys(tasks, 1), "the hub counts other attempts than it gave"
    return race


async def _hand_off(hub: Hub) -> list[str]:
    """The tasks, oldest first."""
    asker, doer = hub.members[:2]
    request = tool_call("handoff", {"project": PROJECT, "to": doer.address, **PACKET}, asker.token)
    turns, tasks = iter(range(TASKS)), []

    async def repeat() -> None:
        connection = await Connection.open(hub.url)
        for _ in turns:
            tasks.append(_said(await connection.call(request))["task"]["task_id"])
        connection.close()

    await asyncio.gather(*(repeat() for _ in range(AT_ONCE)))
    return sorted(tasks)


async def _compete(hub: Hub, device: Agent, tasks: Sequence[str], race: Race) -> None:
    """Claim the tasks in an order of its own, until no slot or no task is left."""
    connection = await Connection.open(hub.url)
    for task_id in random.Random(device.address).sample(tasks, len(tasks)):
        if len(race.attempts) == len(tasks):
            break
        request = tool_call("claim_task", {"task_id": task_id, "idempotency_key": task_id}, device.token)
        sent = time.perf_counter()
        outcome = await _claim(connection, request)
        if outcome == "full":
            break
        taken = race.lost if outcome == "lost" else race.won
        taken.append(1000 * (time.perf_counter() - sent))
        if outcome != "lost":
            race.attempts[outcome] = task_id
    connection.close()


async def _claim(connection: Connection, request: bytes) -> str:
    """The attempt that a claim gave; `lost` when another device has it, `full` when this one has no slot left."""
    try:
        attempt_id: str = _said(await connection.call(request))["attempt"]["attempt_id"]
    except CallFailed as failed:
        outcomes = {LOST: "lost", FULL: "full"}
        outcome = next((outcomes[code] for code in outcomes if code in failed.args[0]), None)
        if outcome is None:
            raise
        return outcome
    return attempt_id


async def _inbox(hub: Hub) -> AsyncIterator[dict[str, Any]]:
    """The tasks as who asked for them sees them."""
    connection = await Connection.open(hub.url)
    asked: dict[str, Any] = {"role": "requester", "limit": 50}
    more = True
    while more:
        page = _said(await connection.call(tool_call("check_inbox", asked, hub.members[0].token)))
        for task in page["tasks"]:
            yield task
        more = page["next_cursor"] is not None
        asked["cursor"] = page["next_cursor"]
    connection.close()


def _said(body: bytes) -> dict[str, Any]:
    said: dict[str, Any] = orjson.loads(body)["result"]["structuredContent"]
    return said
