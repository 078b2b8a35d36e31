"""The gateway process: what its calls share."""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
from contextlib import suppress
from typing import Any, TypeVar

import structlog
from redis.exceptions import RedisError

from libs.bus.asking import Asker
from libs.bus.bus import ServiceBus
from libs.bus.connection import Writer, connect, end, identity
from libs.bus.envelope import Order
from libs.bus.execution import Clock
from libs.bus.following import Follower
from libs.bus.streams import replies
from libs.contracts.base import Command, View
from libs.contracts.caller import SYSTEM, Caller
from libs.contracts.directory import (
    DescribeAddresses,
    DescribeDevice,
    DescribeMembers,
    FindRunners,
    GetInstallation,
    IssueKey,
    RecordUses,
    Resolved,
    ResolveToken,
)
from libs.contracts.errors import Conflict, Problem, StaleAttempt, Unauthenticated
from libs.contracts.tasks import DeviceFacts, ResolveRunToken, RunToken
from libs.runtime.migrating import needed_revision
from libs.runtime.probes import STARTING, STOPPING
from libs.runtime.settings import Settings
from libs.storage import Database, new_id
from services.gateway.auth import Tokens
from services.gateway.cursors import Cursors
from services.gateway.facts import Facts
from services.gateway.presence import Presence
from services.gateway.run_tokens import RunTokens
from services.gateway.session import Session
from services.gateway.tokens import fingerprint, operator_token_in
from services.gateway.waits import Waits

Answer = TypeVar("Answer", bound=View)

log = structlog.get_logger()

WATCH_SECONDS = 1.0
RUNS_SECONDS = 3.0
SIGNS_SECONDS = 0.5
USES_SECONDS = 10.0
FLUSH_SECONDS = 2.0


class Gateway:
    """One process: a line to the services, the directory, the tokens it knows and the waits it holds."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        """Raises `CannotStart` when the operator's file holds no token."""
        self.settings = settings
        self.clock = clock
        self._operator = operator_token_in(settings.operator_token_file) if settings.operator_token_file else None
        self.policy = settings.policy
        name = f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(3)}"
        self._client = connect(settings.redis_url)
        self._writer = Writer(self._client)
        self._asker = Asker(replies(name), self._writer, self.policy)
        self.waits = Waits(self.policy.waits_per_credential)
        self._follower = Follower(self._client, name, self._asker.resolve, self.waits.wake)
        url, pool = settings.database_of("gateway"), settings.database_pool
        database = Database(url, schema="gateway", pool_size=pool, shared=True)
        self._database = database
        self._directory = ServiceBus(
            "directory", settings.redis_url, database, self.policy, clock, takes_commands=False
        )
        self.tokens = Tokens(self._writer, self._resolve, RunTokens(self._resolve_run), self.policy, clock)
        self.presence = Presence(self._writer, self.policy, clock, self.waits.recipients)
        self.facts = Facts(self.ask, self.policy, self.time)
        self._identity: tuple[str, str] | None = None
        self._tasks: list[asyncio.Task[None]] = []

    async def open(self) -> None:
        """Open the directory, once its database answers; raises `CannotOpen`."""
        await self._database.wait()
        await self._database.open(needed_revision("gateway"))

    async def start(self) -> None:
        """Follow the streams, learn what all gateways share."""
        await self._directory.start()
        await self._follow()
        shared = await self.ask(GetInstallation(), SYSTEM)
        self.cursors = Cursors(shared.cursor_key, shared.epoch)
        await self._know_operator()
        self._tasks = [
            asyncio.create_task(self._repeat(WATCH_SECONDS, self._watch)),
            asyncio.create_task(self._repeat(RUNS_SECONDS, self._end_waits_of_ended_runs)),
            asyncio.create_task(self._repeat(SIGNS_SECONDS, self.presence.report)),
            asyncio.create_task(self._repeat(USES_SECONDS, self.record_uses)),
        ]

    async def _follow(self) -> None:
        """Follow the streams as soon as Redis is there."""
        while True:
            try:
                self._identity = await identity(self._client)
                return await self._follower.start()
            except (RedisError, OSError) as error:
                log.warning("waiting for Redis", error=type(error).__name__)
                await asyncio.sleep(WATCH_SECONDS)

    async def stop(self) -> None:
        """Close everything; what calls have yet to be told is lost with their connections."""
        await end(self._tasks)
        await self.record_uses()
        with suppress(TimeoutError):
            async with asyncio.timeout(FLUSH_SECONDS):
                await self._writer.drain()
        await self._follower.stop()
        await self._directory.stop()
        await self._database.close()
        await self._client.aclose()

    def drain(self) -> None:
        """Let all open waits answer: the process stops (R25)."""
        self.waits.drain()

    async def obstacles(self) -> list[str]:
        """Why calls are not answered now; nothing when they are."""
        if not self._tasks:
            return [STARTING]
        if self.waits.draining:
            return [STOPPING]
        reading = [] if self._follower.running else ["replies are not read"]
        return reading + await self._directory.obstacles()

    def time(self) -> float:
        """Seconds on the event loop's clock."""
        return asyncio.get_running_loop().time()

    async def session(self, token: str | None) -> Session:
        """The session of a call; raises `Unauthenticated`."""
        admitted = await self.tokens.admit(token)
        self.presence.note(admitted.caller)
        return Session(self, admitted.caller, admitted.digest, admitted.refusal, admitted.may_repeat_result)

    async def ask(
        self,
        command: Command[Answer],
        caller: Caller,
        *,
        key: str | None = None,
        argument_hash: str = "",
        refusal: Problem | None = None,
    ) -> Answer:
        """Ask a service over the bus, or the directory in this process; raises `Problem`."""
        if command.service != "directory":
            return await self._asker.ask(command, caller, key=key, argument_hash=argument_hash, refusal=refusal)
        reply = await self._directory.executor.answer(Order(new_id("cmd"), command, caller, key, argument_hash))
        return reply.read(command)

    async def describe(self, query: DescribeAddresses) -> DescribeMembers:
        """What the directory knows of some addresses."""
        return await self.ask(query, SYSTEM)

    async def _resolve_run(self, command: ResolveRunToken) -> RunToken:
        return await self.ask(command, SYSTEM)

    async def device(self, device_id: str) -> DeviceFacts | None:
        """A device with its links, as the directory has it now; None when it was removed."""
        known = await self.ask(DescribeDevice(device_id=device_id), SYSTEM)
        if known.device is None:
            return None
        device = known.device
        return DeviceFacts(
            device_id=device.device_id,
            owner=device.owner,
            slots=device.slots,
            agents=known.takes_tasks_from,
            projects=device.projects,
            version=device.version,
        )

    async def agents_with_runner(self, agents: list[str]) -> list[str]:
        """Those of the agents for whom a runner stands by."""
        return (await self.ask(FindRunners(agent_ids=agents), SYSTEM)).agent_ids

    async def _resolve(self, query: ResolveToken) -> Resolved:
        return await self.ask(query, SYSTEM)

    async def _know_operator(self) -> None:
        """Make the token in the operator's file the operator's, unless another gateway that starts now was first."""
        if self._operator is None:
            return
        digest = fingerprint(self._operator)
        if (await self._resolve(ResolveToken(token_sha256=digest))).caller is None:
            with suppress(Conflict):
                await self.ask(IssueKey(subject="operator", kind="operator", token_sha256=digest), SYSTEM)

    async def _repeat(self, seconds: float, job: Any) -> None:
        while True:
            await asyncio.sleep(seconds)
            try:
                await job()
            except Exception as error:
                log.warning("periodic work failed", error=repr(error)[:200])

    async def _watch(self) -> None:
        """Notice a Redis with other data (R43) and revocations that concern open waits (R46)."""
        seen = await identity(self._client)
        if seen != self._identity:
            self._identity = seen
            await self._follower.start_over()
        await self._follower.beat()
        await self.tokens.refresh()
        await self._end_unauthenticated_waits()

    async def _end_waits_of_ended_runs(self) -> None:
        """End the waits under a run's token that is good no more (R25)."""
        for wait in self.waits.open_waits():
            if wait.is_run:
                try:
                    await self.tokens.runs.check(wait.digest)
                except (StaleAttempt, Unauthenticated):
                    wait.end("revoked")

    async def _end_unauthenticated_waits(self) -> None:
        """End the waits whose token was revoked or has expired (R25, R46)."""
        for wait in self.waits.open_waits():
            if wait.is_run or self.tokens.vouches_for(wait.digest):
                continue
            try:
                await self.tokens.known(wait.digest)
            except Unauthenticated:
                wait.end("revoked")

    async def record_uses(self) -> None:
        """Note when credentials were last used, many at once."""
        uses, self.tokens.uses = self.tokens.uses, {}
        if uses:
            await self.ask(RecordUses(uses=uses), SYSTEM)
