"""Signs of life: calls and open waits of agents, reported to pulse once in twenty seconds each (R28)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from libs.bus import streams
from libs.bus.connection import Writer
from libs.bus.envelope import FIELD, Happening
from libs.bus.execution import Clock
from libs.contracts.caller import Caller
from libs.contracts.policy import Policy
from libs.contracts.pulse import AgentsSeen, SignOfLife
from libs.contracts.types import is_agent
from libs.storage import new_id


class Presence:
    """What this gateway process heard of agents and has yet to report."""

    def __init__(self, writer: Writer, policy: Policy, clock: Clock, waiting: Callable[[], Iterable[str]]) -> None:
        """`waiting` names who has a wait open, agents and devices."""
        self._writer = writer
        self._interval = timedelta(seconds=policy.sign_of_life_seconds)
        self._clock = clock
        self._waiting = waiting
        self._reported: dict[str, datetime] = {}
        self._fresh: dict[str, datetime] = {}

    def note(self, caller: Caller) -> None:
        """An agent called."""
        if caller.acts_as_agent:
            self._fresh[caller.subject] = self._clock()

    async def report(self) -> None:
        """Report the newest sign of each agent whose last report is old enough; called about every second.

        A lost report is made good by the next one.
        """
        now = self._clock()
        self._fresh.update({agent: now for agent in self._waiting() if is_agent(agent)})
        due = {agent: at for agent, at in self._fresh.items() if self._is_due(agent, now)}
        if not due:
            return
        for agent in due:
            del self._fresh[agent]
        self._reported = {agent: at for agent, at in self._reported.items() if now - at < self._interval}
        self._reported.update(dict.fromkeys(due, now))
        event = AgentsSeen(signs=[SignOfLife(agent_id=agent, at=at) for agent, at in due.items()])
        data = await Happening(new_id("evt"), event).encode()
        self._writer.tell("XADD", streams.events("gateway"), "MAXLEN", "~", streams.EVENTS_KEPT, "*", FIELD, data)

    def _is_due(self, agent: str, now: datetime) -> bool:
        reported = self._reported.get(agent)
        return reported is None or now - reported >= self._interval
