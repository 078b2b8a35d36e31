"""Ann's codex and bob's claude, alone in a project that no other test uses, and what they do over HTTP."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Any

import httpx
import pytest

from tests.site import ERAS, MODERN, Refused, Site

both_eras = pytest.mark.parametrize("pair", ERAS, indirect=True)
NUMBERS = count(1)
HANDOFF = {"title": "Count", "objective": "Count the pages.", "acceptance": ["They are counted"]}
PROOF = {"kind": "note", "ref": "There are 12."}


@dataclass
class Pair:
    """Two agents of two people in one project; every call is of the era that the test is about."""

    site: Site
    project: str
    ann: str
    bob: str
    era: str = MODERN

    @staticmethod
    async def meet(site: Site) -> Pair:
        """Two agents that nobody has met before."""
        number = next(NUMBERS)
        pair = Pair(site, f"project-{number}", f"ann-{number}/codex", f"bob-{number}/claude")
        await site.introduce(pair.project, pair.ann, pair.bob)
        return pair

    async def call(self, by: str, tool: str, **arguments: Any) -> dict[str, Any]:
        """What a tool returns."""
        return await self.site.call(by, tool, **{"era": self.era, **arguments})

    async def refused(self, by: str, tool: str, **arguments: Any) -> Refused:
        """The refusal of a call that must be refused."""
        with pytest.raises(Refused) as refusal:
            await self.call(by, tool, **arguments)
        return refusal.value

    async def refusal(self, tool: str, *, by: str | None = None, **arguments: Any) -> tuple[str, str | None]:
        """The code and field of the refusal that a call of bob (or of `by`) must get."""
        refused = await self.refused(by or self.bob, tool, **arguments)
        return refused.code, refused.field

    async def api(self, method: str, path: str, by: str, gateway: int = 0) -> httpx.Response:
        """A call of the HTTP API by a person."""
        url = self.site.gateways[gateway].url.removesuffix("/mcp") + "/api/v1" + path
        return await self.site.http.request(method, url, headers={"authorization": f"Bearer {self.site.tokens[by]}"})

    async def post(self, by: str, body: str, **said: Any) -> dict[str, Any]:
        """A message in the project, as the answer shows it."""
        posted = await self.call(by, "post_message", project=self.project, body=body, **said)
        message: dict[str, Any] = posted["message"]
        return message

    async def mention_bob(self, body: str = "look", **said: Any) -> str:
        """A mention of bob by ann; its id."""
        message_id: str = (await self.post(self.ann, f"@{self.bob} {body}", **said))["id"]
        return message_id

    async def wait(self, by: str | None = None, tool: str = "wait_for_mention", **arguments: Any) -> dict[str, Any]:
        """A wait of bob (or of `by`) that answers at once unless it is given time."""
        return await self.call(by or self.bob, tool, **{"timeout_seconds": 0, **arguments})

    async def heard(self, **arguments: Any) -> list[str]:
        """The ids of the messages that a wait of bob returns."""
        return ids(await self.wait(**arguments))

    async def updates(self, limit: int = 20) -> list[dict[str, Any]]:
        """All updates of bob, read in pages of at most `limit`."""
        updates: list[dict[str, Any]] = []
        page = await self.wait(tool="wait_for_updates", limit=limit)
        while not page["timed_out"]:
            assert len(page["updates"]) <= limit
            updates += page["updates"]
            page = await self.wait(tool="wait_for_updates", limit=limit, cursor=page["next_cursor"])
        return updates

    async def hand_off(self, **said: Any) -> str:
        """A task of ann for bob; its id."""
        handed = await self.call(self.ann, "handoff", project=self.project, to=self.bob, **{**HANDOFF, **said})
        task_id: str = handed["task"]["task_id"]
        return task_id

    async def take(self, task_id: str | None = None, **said: Any) -> dict[str, str]:
        """Bob's attempt at a task, or at a new one, as its calls name it."""
        task_id = task_id or await self.hand_off()
        taken = await self.call(self.bob, "accept_task", task_id=task_id, **said)
        return {"task_id": task_id, "attempt_id": taken["attempt"]["attempt_id"]}

    async def finish(self, named: dict[str, str], **said: Any) -> dict[str, Any]:
        """Bob's result."""
        words = {"outcome": "done", "summary": "Counted.", "evidence": [PROOF]}
        return await self.call(self.bob, "return_result", **{**named, **words, **said})

    async def messages(self, by: str | None = None) -> list[str]:
        """The ids of the messages in the room, as ann (or `by`) reads it."""
        room = await self.call(by or self.ann, "read_room", project=self.project)
        return [message["id"] for message in room["messages"]]

    async def whole(self, task_id: str) -> dict[str, Any]:
        """The task as ann sees it whole."""
        task: dict[str, Any] = (await self.call(self.ann, "check_inbox", task_id=task_id))["tasks"][0]
        return task


def ids(answer: dict[str, Any]) -> list[str]:
    """The ids of the messages that a wait returned."""
    return [message["id"] for message in answer["mentions"]]


def kinds(answer: dict[str, Any]) -> list[str]:
    """The kinds of the updates that a wait returned."""
    return [update["kind"] for update in answer["updates"]]
