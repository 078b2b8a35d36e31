"""Agents that insist: every call is repeated under its key until it is answered, every wait goes on from its cursor."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from prickle import Hub, HubError, PeopleApi

from tests.harness import until
from tests.process_tree import children, is_running
from tests.runtime.running import PROJECT, Up

FOURTH = "jonas/codex"
PASSING = ("unavailable", "limit_exceeded")
PAUSE_SECONDS = 0.1
EMPTIED = "valkey without its data"
OLDER = "valkey with older data"
MESSAGES_EACH = 5

Answered = dict[str, list[str]]
"""The ids of messages that were answered as stored, and whom the answers named as notified."""


@dataclass
class Doors:
    """Several gateways, at which calls take turns; one that fails in passing is tried once more, at the next."""

    hubs: Sequence[Hub]
    turns: Any = field(default_factory=count)

    async def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """The answer of a tool at the first or the second try; raises `HubError`."""
        turn = next(self.turns)
        try:
            return await self._at(turn).call(tool, **arguments)
        except HubError as error:
            if error.code not in PASSING:
                raise
            return await self._at(turn + 1).call(tool, **arguments)

    def _at(self, turn: int) -> Hub:
        return self.hubs[turn % len(self.hubs)]


@dataclass
class Agent:
    """An agent that keeps calling, and what its waits brought."""

    address: str
    hub: Hub | Doors
    delivered: list[dict[str, Any]] = field(default_factory=list)
    cursor: dict[str, str] = field(default_factory=dict)

    async def insist(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The answer of a tool, however often it takes."""
        while True:
            try:
                return await self.hub.call(tool, **arguments)
            except HubError as error:
                if error.code not in PASSING:
                    raise
                await asyncio.sleep(PAUSE_SECONDS)

    async def follow(self, tool: str, items: str) -> None:
        """Take down what waits bring, for ever; each goes on from the cursor that the last answer gave."""
        while True:
            await self.wait_once(tool, items, timeout_seconds=20)

    async def wait_once(self, tool: str, items: str, timeout_seconds: int) -> None:
        """One wait, repeated with the same cursor until it is answered."""
        page = await self.insist(tool, timeout_seconds=timeout_seconds, **self.cursor)
        self.delivered += page[items]
        self.cursor = {"cursor": page["next_cursor"]}

    async def messages(self) -> list[dict[str, Any]]:
        """Everything in the room, page by page."""
        read: list[dict[str, Any]] = []
        cursor: dict[str, str] = {}
        while True:
            page = await self.insist("read_room", project=PROJECT, limit=50, **cursor)
            read += page["messages"]
            if page["next_cursor"] is None:
                return read
            cursor = {"cursor": page["next_cursor"]}


@asynccontextmanager
async def agents(up: Up) -> AsyncIterator[list[Agent]]:
    """The demo's three agents and a fourth one."""
    async with PeopleApi.connect(up.told["url"], up.told["operator"]) as api:
        await api.create_agent(FOURTH, "Codex", takes_tasks_from="team")
        fourth = (await api.issue_agent_key(FOURTH))["token"]
        await api.add_member(PROJECT, FOURTH)
    async with AsyncExitStack() as stack:
        yield [
            Agent(address, await stack.enter_async_context(Hub.connect(up.told["url"], token)))
            for address, token in {**up.told["agents"], FOURTH: fourth}.items()
        ]


@dataclass
class Progress:
    """How many calls were answered so far."""

    answered: int = 0

    async def kill_after(self, answers: int, up: Up, victim: str) -> None:
        """Kill a process of the hub as soon as so many more calls are answered."""
        goal = self.answered + answers
        await until(lambda: self.answered >= goal, seconds=60)
        await kill(up, victim)


async def kill(up: Up, victim: str) -> None:
    """Kill a process of the hub, which starts it again; Valkey also without its data, or with an older state of it."""
    pid = await until(lambda: children(up.process.pid).get(victim.split()[0]), seconds=60)
    if victim in (EMPTIED, OLDER):
        os.kill(up.process.pid, signal.SIGSTOP)
    os.kill(pid, signal.SIGKILL)
    await until(lambda: not is_running(pid))
    if victim in (EMPTIED, OLDER):
        await asyncio.to_thread(spoil, up.data / "valkey" / "appendonlydir", victim)
        os.kill(up.process.pid, signal.SIGCONT)


def spoil(kept: Path, victim: str) -> None:
    """Take all data from a dead Valkey, or the later half of what it appended."""
    if victim == EMPTIED:
        shutil.rmtree(kept)
    for log in kept.glob("*.incr.aof"):
        os.truncate(log, log.stat().st_size // 2)


def repeated(ids: list[str]) -> list[str]:
    """What is in a list more than once."""
    return [name for name, times in Counter(ids).items() if times > 1]


async def speak(agent: Agent, crew: list[Agent], number: int, progress: Progress, answered: Answered) -> None:
    """One agent's messages of a round, each mentioning one or two of the others."""
    others = [other.address for other in crew if other is not agent]
    for line in range(MESSAGES_EACH):
        mentioned = others[line % 3 :][:2]
        body = f"{number}.{line}: {' '.join('@' + other for other in mentioned)}"
        key = f"{agent.address} {number} {line}"
        said = await agent.insist("post_message", project=PROJECT, body=body, idempotency_key=key)
        assert sorted(said["notified"]) == sorted(mentioned)
        answered[said["message"]["id"]] = mentioned
        progress.answered += 1


async def check_mentions(agent: Agent, follow: asyncio.Task[None], expected: list[str]) -> None:
    """Everything that should have come did come, in the order of the room and once; and no more comes."""
    await until(lambda: follow.done() or len(agent.delivered) >= len(expected), seconds=40)
    follow.cancel()
    await asyncio.wait([follow])
    await agent.wait_once("wait_for_mention", "mentions", timeout_seconds=0)
    delivered = [message["id"] for message in agent.delivered]
    assert repeated(delivered) == []
    assert delivered == expected
