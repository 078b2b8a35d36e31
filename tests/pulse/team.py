"""A team whose agents share a board."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from libs.contracts.caller import Caller
from libs.contracts.mailbox import Entry
from libs.contracts.pulse import BoardAgent, BoardAnswer, BoardFacts, ClearedParks, ClearParks, Lease, MemoryAgents
from tests.harness import Hub

PROJECT = "website-v2"
REPOSITORY = "ab" * 32


class Team:
    """Agents of one team, and what they do on its board over the real bus."""

    def __init__(self, hub: Hub, size: int = 4, projects: Sequence[str] = (PROJECT,)) -> None:
        self.hub, self.projects = hub, list(projects)
        self.slug = f"team-{uuid4().hex[:8]}"
        self.owner = f"maya-{uuid4().hex[:8]}"
        self.agents = [f"{self.owner}/agent{number}" for number in range(size)]

    def facts(self) -> BoardFacts:
        """What the gateway knows of the team."""
        agents = [BoardAgent(agent_id=agent, display_name=agent.partition("/")[2].title()) for agent in self.agents]
        return BoardFacts(team=self.slug, projects=self.projects, agents=agents)

    async def act(self, agent: str, action: str, **fields: Any) -> BoardAnswer:
        """Let an agent do something on the board."""
        command = MemoryAgents.model_validate({"action": action, **fields, "facts": self.facts()})
        return await self.hub.ask(command, agent)

    async def claim(self, agent: str, lease: str = "claim:src/app.py", **fields: Any) -> BoardAnswer:
        """Let an agent claim a lease."""
        return await self.act(agent, "claim", lease=lease, **fields)

    async def release(self, agent: str, lease: str = "claim:src/app.py") -> BoardAnswer:
        """Let an agent release a lease."""
        return await self.act(agent, "release", lease=lease)

    async def listed(self, agent: str, **fields: Any) -> BoardAnswer:
        """The board as an agent sees it."""
        return await self.act(agent, "list", **fields)

    async def lease(self, agent: str) -> Lease | None:
        """The only lease on the board."""
        leases = (await self.listed(agent)).leases
        assert len(leases) <= 1
        return leases[0] if leases else None

    async def holder(self) -> str:
        """Who holds the only lease on the board, as the last agent sees it."""
        lease = await self.lease(self.agents[-1])
        assert lease is not None
        return lease.holder

    async def clear(self, sender: str, *addresses: str, message_id: str | None = None) -> ClearedParks:
        """Let the author of a message clear parks."""
        message = message_id or f"msg_{uuid4().hex}"
        command = ClearParks(team=self.slug, addresses=list(addresses), message_id=message)
        kind = "client" if "/" in sender else "person"
        return await self.hub.ask(command, Caller.model_validate({"kind": kind, "subject": sender}))

    async def told(self, agent: str) -> list[Entry]:
        """What pulse told an agent."""
        return await self.hub.entries(agent, "pulse")
