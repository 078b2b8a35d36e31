"""The two agents of the stories, as real MCP clients in either era."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from prickle import Hub, HubError

from tests.processes import DemoHub
from tests.site import OUTPUTS

PROJECT = "website-v2"
both_eras = pytest.mark.parametrize("mode", ["auto", "legacy"])


@dataclass
class Friend:
    """One agent: what it calls, each answer checked against the tool's output schema."""

    address: str
    hub: Hub
    cursors: dict[str, str]

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The answer of a tool; raises `HubError`."""
        answer = await self.hub.call(tool, **arguments)
        OUTPUTS[tool].validate(answer)
        return answer

    async def refused(self, tool: str, **arguments: Any) -> HubError:
        """The refusal of a call that must be refused."""
        with pytest.raises(HubError) as refusal:
            await self.call(tool, **arguments)
        return refusal.value

    async def wait(self, tool: str, timeout_seconds: int = 20) -> list[dict[str, Any]]:
        """The next that a wait returns, acknowledging what the one before returned."""
        cursor = {"cursor": self.cursors[tool]} if tool in self.cursors else {}
        answer = await self.call(tool, timeout_seconds=timeout_seconds, **cursor)
        self.cursors[tool] = answer["next_cursor"]
        items: list[dict[str, Any]] = answer["mentions" if tool == "wait_for_mention" else "updates"]
        return items

    async def updates(self, *kinds: str) -> list[dict[str, Any]]:
        """Updates up to the one of the last of these kinds, which come in this order among others."""
        missing, updates = list(kinds), []
        while missing:
            for update in await self.wait("wait_for_updates"):
                updates.append(update)
                if missing and update["kind"] == missing[0]:
                    missing.pop(0)
        return updates

    async def catch_up(self) -> None:
        """Forget whatever is in the mailbox so far."""
        for tool in ("wait_for_mention", "wait_for_updates"):
            while await self.wait(tool, timeout_seconds=0):
                pass


@asynccontextmanager
async def friends(demo: DemoHub, mode: str) -> AsyncIterator[tuple[Friend, Friend]]:
    """Maya's codex and jonas's claude, connected and with nothing left to read."""
    names = ("maya/codex", "jonas/claude")
    async with (
        Hub.connect(demo.url, demo.agents[names[0]], mode=mode) as first,
        Hub.connect(demo.url, demo.agents[names[1]], mode=mode) as second,
    ):
        maya, jonas = Friend(names[0], first, {}), Friend(names[1], second, {})
        await maya.catch_up()
        await jonas.catch_up()
        yield maya, jonas
