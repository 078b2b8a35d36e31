"""Jonas's device, which runs his claude in the project website, over the real bus."""

from __future__ import annotations

import hashlib
from itertools import count
from typing import Any

from libs.bus import streams
from libs.bus.envelope import FIELD, Happening
from libs.contracts.base import Event
from libs.contracts.caller import Caller
from libs.contracts.directory import DeviceChanged
from libs.contracts.mailbox import Entry
from libs.contracts.tasks import (
    ClaimDiscussion,
    ClaimedDiscussion,
    ClaimedTask,
    ClaimTask,
    DeviceFacts,
    RenewRuns,
    ResolveRunToken,
    RunToken,
    Task,
)
from libs.contracts.types import TakesTasksFrom
from libs.storage import new_id
from services.tasks.domain import Device
from tests.harness import until
from tests.tasks.desk import Desk

NUMBERS = count(1)


def sha256(token: str) -> str:
    """What of a token travels."""
    return hashlib.sha256(token.encode()).hexdigest()


class Runner:
    """A device of the desk's jonas and what it does; linked to claude and website unless told otherwise."""

    def __init__(self, desk: Desk, slots: int = 1, takes: TakesTasksFrom = "team", **links: list[str]) -> None:
        self.desk = desk
        self.hub = desk.hub
        self.device_id = f"dev_{next(NUMBERS)}"
        self.agents = links.get("agents", [desk.claude])
        self.projects = links.get("projects", ["website"])
        self.slots, self.takes, self.version = slots, takes, 0

    @property
    def caller(self) -> Caller:
        """The device by its own key."""
        return Caller(kind="device", subject=self.device_id, owner=self.desk.jonas, credential_id="key_device")

    @property
    def facts(self) -> DeviceFacts:
        """What the gateway knows of it."""
        return DeviceFacts(
            device_id=self.device_id,
            owner=self.desk.jonas,
            slots=self.slots,
            agents=dict.fromkeys(self.agents, self.takes),
            projects=self.projects,
            version=self.version,
        )

    def claiming(self, task: Task, key: str = "run-1", token: str = "", **said: Any) -> ClaimTask:
        """A claim, whose token is its key unless it is given."""
        digest = sha256(token or f"{self.device_id}:{key}")
        plain = {"task_id": task.task_id, "idempotency_key": key, "token_sha256": digest, "device": self.facts}
        return ClaimTask(**{**plain, **said})

    async def claim(self, task: Task | None = None, key: str = "run-1", token: str = "", **said: Any) -> ClaimedTask:
        """A claim of the task, or of a new one."""
        task = task or await self.desk.hand_off()
        return await self.hub.ask(self.claiming(task, key, token, **said), self.caller)

    async def token(self, key: str = "run-1", token: str = "") -> RunToken:
        """What the token of a claim is good for; asking shows a sign of life."""
        return await self.hub.ask(ResolveRunToken(token_sha256=sha256(token or f"{self.device_id}:{key}")))

    async def run(self, key: str = "run-1") -> Caller:
        """The caller behind the token of a claim."""
        found = (await self.token(key)).caller
        assert found is not None
        return found

    async def wait(self) -> int:
        """Renew its runs, as each of its waits does; how many were due."""
        return (await self.hub.ask(RenewRuns(device_id=self.device_id), self.caller)).renewed

    async def discuss(
        self, mentioned: list[str] | None = None, message_id: str = "msg_1", key: str = "talk-1", **said: Any
    ) -> ClaimedDiscussion:
        """A claim of a message that mentions claude, or others."""
        command = ClaimDiscussion(
            project=said.pop("project", "website"),
            message_id=message_id,
            idempotency_key=key,
            mentioned=[self.desk.claude] if mentioned is None else mentioned,
            token_sha256=sha256(said.pop("token", f"{self.device_id}:{key}")),
            device=self.facts,
            **said,
        )
        return await self.hub.ask(command, self.caller)

    async def announce(self, *, removed: bool = False, version: int | None = None) -> None:
        """Let the directory announce the device as it is now, and wait until tasks has heard."""
        self.version += 1
        event = DeviceChanged(
            device_id=self.device_id,
            owner=self.desk.jonas,
            slots=self.slots,
            agents=self.agents,
            projects=self.projects,
            removed=removed,
            version=version or self.version,
        )
        await announce(self.desk, event)

    async def entries(self) -> list[Entry]:
        """Everything in the device's mailbox."""
        return await self.desk.entries(self.device_id)

    async def kinds(self) -> list[str]:
        """The kinds of the entries in the device's mailbox, oldest first."""
        return [entry.kind for entry in await self.entries()]


async def announce(desk: Desk, *events: Event) -> None:
    """Publish events of the directory and wait until tasks has consumed them all."""
    last = DeviceChanged(device_id=new_id("dev"), owner="nobody", slots=1, agents=[], projects=[], version=1)
    running = desk.hub.services["tasks"]
    for event in (*events, last):
        data = await Happening(new_id("evt"), event).encode()
        await running.bus.client.xadd(streams.events(event.source), {FIELD: data})

    async def is_consumed() -> bool:
        async with running.database.read() as session:
            return await session.get(Device, last.device_id) is not None

    await until(is_consumed)
