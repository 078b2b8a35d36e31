"""A project of its own, and what agents announce there."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from libs.contracts.mailbox import Entry
from libs.contracts.pulse import Overlap, UpdatePulse
from tests.harness import Hub


class Room:
    """A project of its own, and what agents announce there."""

    def __init__(self, hub: Hub) -> None:
        self.hub, self.project = hub, f"project-{uuid4().hex[:8]}"

    async def announce(self, agent: str, *paths: str, seconds: int = 600, **said: Any) -> list[Overlap]:
        """Let an agent announce a change; the overlaps it is answered."""
        intent = {"kind": "change", "paths": list(paths), "expires_in_seconds": seconds, **said}
        return await self.say(agent, intent=intent)

    async def say(self, agent: str, **said: Any) -> list[Overlap]:
        """Let an agent update its pulse."""
        command = UpdatePulse.model_validate({"project": self.project, **said})
        return (await self.hub.ask(command, agent)).overlaps

    async def told(self, agent: str) -> list[Entry]:
        """What pulse told an agent."""
        return await self.hub.entries(agent, "pulse")
