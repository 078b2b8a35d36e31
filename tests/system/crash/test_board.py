"""The board while pulse is killed in the middle of claims and releases (R4, R35, R36, R44)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import pytest

from libs.contracts.errors import Unavailable
from libs.contracts.pulse import BoardAnswer, MemoryAgents
from libs.runtime.settings import load_settings
from libs.runtime.valkey import EmbeddedValkey
from tests.fleet import Replica, migrate
from tests.harness import running_hub, until
from tests.pulse.team import Team

pytestmark = pytest.mark.timeout(180)

AT_ONCE, TURNS_EACH = 16, 2
LEASE = "claim:src/app.py"
REDIS_NUMBER = 252
POLL_SECONDS = 0.1
KILLED_AFTER = (5, 14, 12)
"""After how many more of the agents' calls pulse is killed: while they all claim, and while the lease passes on."""


@dataclass
class Turn:
    """One agent's way through the queue, by the count of calls sent and answered before."""

    agent: str
    asked: int
    queued: int
    fence: int


@dataclass
class Queue:
    """What the agents saw of one lease."""

    team: Team
    calls: count[int] = field(default_factory=count)
    answered: int = 0
    turns: list[Turn] = field(default_factory=list)
    holders: list[str] = field(default_factory=list)
    """Who holds it now."""

    async def insist(self, agent: str, action: str) -> BoardAnswer:
        """The answer to an action, repeated under one key until there is one (R40)."""
        key, said = f"{agent} {next(self.calls)}", {"action": action, "lease": LEASE, "facts": self.team.facts()}
        while True:
            try:
                answer = await self.team.hub.ask(MemoryAgents.model_validate(said), agent, key=key)
                self.answered += 1
                return answer
            except Unavailable:
                continue

    async def take_turns(self, agent: str) -> None:
        """Claim the lease, wait to be granted it, keep it and release it; and again."""
        told = 0
        for _ in range(TURNS_EACH):
            asked = next(self.calls)
            claimed = await self.insist(agent, "claim")
            queued = next(self.calls)
            if claimed.outcome == "queued":
                told += 1
                await self.granted(agent, told)
                claimed = await self.insist(agent, "claim")
            assert claimed.lease is not None
            assert claimed.lease.holder == agent
            self.turns.append(Turn(agent, asked, queued, claimed.lease.fence))
            await self.hold(agent)

    async def granted(self, agent: str, times: int) -> None:
        """Return when the agent was told so often that it holds the lease."""
        while True:
            try:
                if len(await self.team.told(agent)) >= times:
                    return
            except Unavailable:
                continue
            await asyncio.sleep(POLL_SECONDS)

    async def hold(self, agent: str) -> None:
        """Hold the lease alone until its release is sent."""
        self.holders.append(agent)
        listed = await self.insist(agent, "claim")
        assert (listed.outcome, self.holders) == ("renewed", [agent])
        self.holders.remove(agent)
        assert (await self.insist(agent, "release")).outcome == "released"


@pytest.fixture
async def queue(valkey: EmbeddedValkey, tmp_path: Path) -> AsyncIterator[tuple[Replica, Queue]]:
    redis_url = f"redis://127.0.0.1:{valkey.port}/{REDIS_NUMBER}"
    settings = {"PRICKLE_REDIS_URL": redis_url, "PRICKLE_DATA_DIR": str(tmp_path)}
    await asyncio.to_thread(migrate, ["pulse"], load_settings(data_dir=tmp_path))
    pulse = Replica("pulse", tmp_path / "pulse.log", settings)
    pulse.spawn()
    try:
        await pulse.become_ready()
        async with running_hub(redis_url, tmp_path, (), resend_after_seconds=1.0) as line:
            yield pulse, Queue(Team(line, size=AT_ONCE))
    finally:
        pulse.kill()


async def test_a_queue_keeps_its_order_and_its_fences_rise_though_pulse_is_killed(
    queue: tuple[Replica, Queue],
) -> None:
    """First come, first served as it was answered; nobody holds what another holds; no fence is given out twice."""
    pulse, board = queue
    agents = [asyncio.create_task(board.take_turns(agent)) for agent in board.team.agents]
    for answers in KILLED_AFTER:
        goal = board.answered + answers
        await until(lambda goal=goal: board.answered >= goal, seconds=60)
        pulse.kill()
        pulse.spawn()
    await asyncio.gather(*agents)
    fences = [turn.fence for turn in board.turns]
    assert len(fences) == AT_ONCE * TURNS_EACH
    assert fences == sorted({*fences})
    for number, later in enumerate(board.turns):
        assert not [earlier for earlier in board.turns[:number] if later.queued < earlier.asked]
