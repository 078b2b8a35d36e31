"""What the tests of pulse start from."""

from __future__ import annotations

from datetime import datetime
from itertools import count
from typing import Any
from uuid import uuid4

from libs.bus import streams
from libs.bus.envelope import FIELD, Happening
from libs.contracts.base import Event
from libs.contracts.caller import Caller
from libs.contracts.pulse import AgentsSeen, GetPulses, Pulse, PulseMember, SignOfLife, UpdatePulse
from libs.contracts.tasks import AttemptEnded, AttemptStarted
from tests.harness import Hub, until

PROJECT = "website-v2"
DEVICE = Caller(kind="device", subject="dev_1", owner="maya")
numbers = count(1)


def fresh_agent() -> str:
    """An agent that no other test knows."""
    return f"maya/codex{next(numbers)}-{uuid4().hex[:8]}"


async def say(hub: Hub, agent: str, **said: Any) -> Pulse:
    """Let an agent update its pulse; the pulse as answered."""
    command = UpdatePulse.model_validate({"project": PROJECT, **said})
    return (await hub.ask(command, agent)).pulse


async def say_of(hub: Hub, agent: str, **said: Any) -> Pulse:
    """Let a device update the pulse of an agent that is linked to it; the pulse as answered."""
    command = UpdatePulse.model_validate({"project": PROJECT, "agent_id": agent, **said})
    return (await hub.ask(command, DEVICE)).pulse


async def pulse_of(hub: Hub, agent: str, project: str = PROJECT, joined_at: datetime | None = None) -> Pulse:
    """An agent's pulse as the others see it."""
    member = PulseMember(agent_id=agent, project=project, joined_at=joined_at or hub.clock.now)
    return (await hub.ask(GetPulses(members=[member]))).pulses[0]


async def availability(hub: Hub, agent: str, project: str = PROJECT) -> str:
    """An agent's availability as the others see it."""
    return (await pulse_of(hub, agent, project)).availability


async def call(hub: Hub, agent: str) -> None:
    """Let an agent make some call at the gateway, which reports it."""
    await seen(hub, agent, hub.clock.now)


async def seen(hub: Hub, agent: str, at: datetime) -> None:
    """Let the gateway report when it saw an agent."""
    await happen(hub, AgentsSeen(signs=[SignOfLife(agent_id=agent, at=at)]))


def started(agent: str, version: int, **changes: Any) -> AttemptStarted:
    """The agent took a task."""
    return AttemptStarted(**_attempt(agent, version) | changes)


def ended(agent: str, version: int, **changes: str) -> AttemptEnded:
    """The agent's attempt ended."""
    return AttemptEnded(**_attempt(agent, version) | changes)


def _attempt(agent: str, version: int) -> dict[str, Any]:
    task = f"task_{agent.partition('/')[2]}"
    return {"project": PROJECT, "task_id": task, "attempt_id": "att_1", "agent_id": agent, "version": version}


async def happen(hub: Hub, *events: Event) -> None:
    """Publish events of other services and wait until pulse has consumed them."""
    bus = hub.services["pulse"].bus
    for event in events:
        await bus.client.xadd(
            streams.events(event.source), {FIELD: await Happening(f"evt_{uuid4().hex}", event).encode()}
        )
    await until(lambda: consumed(hub, {event.source for event in events}))


async def consumed(hub: Hub, sources: set[str]) -> bool:
    """Whether pulse has read and acknowledged everything on these streams."""
    for source in sources:
        groups = await hub.services["pulse"].bus.client.xinfo_groups(streams.events(source))
        mine = next(group for group in groups if group["name"] == b"pulse")
        if mine["pending"] or mine["lag"]:
            return False
    return True
