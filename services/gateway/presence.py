"""Signs of life: every authenticated call of an agent is one; pulse hears of it once in twenty seconds (R28)."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta

from libs.bus import streams
from libs.bus.connection import Writer
from libs.bus.envelope import FIELD, Happening
from libs.bus.execution import Clock
from libs.contracts.caller import Caller
from libs.contracts.policy import Policy
from libs.contracts.pulse import AgentsSeen, SignOfLife
from libs.storage import new_id

GATHER_SECONDS = 0.05


class Presence:
    """What this gateway process heard of agents and has yet to report."""

    def __init__(self, writer: Writer, policy: Policy, clock: Clock) -> None:
        self._writer = writer
        self._interval = timedelta(seconds=policy.sign_of_life_seconds)
        self._clock = clock
        self._reported: dict[str, datetime] = {}
        self._fresh: dict[str, datetime] = {}
        self._reporting: asyncio.Task[None] | None = None

    def note(self, caller: Caller) -> None:
        """An agent called."""
        now = self._clock()
        reported = self._reported.get(caller.subject)
        if not caller.acts_as_agent or (reported is not None and now - reported < self._interval):
            return
        self._reported[caller.subject] = self._fresh[caller.subject] = now
        if self._reporting is None or self._reporting.done():
            self._reporting = asyncio.create_task(self._report())

    async def _report(self) -> None:
        """Many agents that call at once make one event; a lost one is made good by the next call."""
        await asyncio.sleep(GATHER_SECONDS)
        signs, self._fresh = self._fresh, {}
        event = AgentsSeen(signs=[SignOfLife(agent_id=agent, at=at) for agent, at in signs.items()])
        data = await Happening(new_id("evt"), event).encode()
        self._writer.tell("XADD", streams.events("gateway"), "MAXLEN", "~", streams.EVENTS_KEPT, "*", FIELD, data)
