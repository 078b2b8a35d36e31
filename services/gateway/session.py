"""What a tool function receives: who calls, and `ask()` and `wait()`."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from libs.contracts.base import Command, Data, View
from libs.contracts.caller import Caller
from libs.contracts.errors import NotFound, Problem
from libs.contracts.mailbox import Entry
from libs.contracts.schema import Schema
from libs.contracts.tasks import DeviceFacts
from services.gateway.arguments import argument_hash
from services.gateway.cursors import Cursors, Positions
from services.gateway.mailboxes import Reading, Wanted, merge, ride
from services.gateway.waits import Progress, Wait

if TYPE_CHECKING:
    from services.gateway.gateway import Gateway

Answer = TypeVar("Answer", bound=View)

NOT_YOUR_PROJECT = "Name one of your projects; discover_team_agents lists them."


@dataclass(frozen=True, slots=True)
class Waited:
    """How a wait ended."""

    entries: list[Entry]
    next_cursor: str
    timed_out: bool
    effective_timeout_seconds: int
    resync: bool
    retry_after_seconds: int | None

    def wire(self) -> dict[str, Any]:
        """The fields that the answers of all waits share."""
        said: dict[str, Any] = {
            "next_cursor": self.next_cursor,
            "timed_out": self.timed_out,
            "effective_timeout_seconds": self.effective_timeout_seconds,
        }
        if self.resync:
            said["resync"] = True
        if self.retry_after_seconds is not None:
            said["retry_after_seconds"] = self.retry_after_seconds
        return said


@dataclass(slots=True)
class Session:
    """One authenticated call."""

    gateway: Gateway
    caller: Caller
    digest: str
    """The SHA-256 of the token."""
    refusal: Problem | None = None
    """Why the call may not be carried out now, although the token is good (R45)."""
    may_repeat_result: bool = False
    """Whether an ended run may repeat its return_result, and nothing else (R10)."""
    keyed: type[Command[Any]] | None = None
    """The command that the call's idempotency key is for."""
    key: str | None = None
    argument_hash: str = ""
    progress: Progress | None = None
    meta: dict[str, Any] = field(default_factory=dict)
    """What a tool adds to its result beside the schema."""

    def take_key(self, said: Data, schema: Schema) -> None:
        """Have the call's command carried out once under its idempotency key, if it has one (R40)."""
        key = getattr(said, "idempotency_key", None)
        if isinstance(said, Command) and said.keyed and key is not None:
            self.keyed, self.key, self.argument_hash = type(said), key, argument_hash(schema, said)

    async def ask(self, command: Command[Answer], *, refusal: Problem | None = None) -> Answer:
        """The answer of the command's service; raises its `Problem`.

        A `refusal` that the gateway came to is given by the service, unless the call repeats one that succeeded.
        """
        key = self.key if type(command) is self.keyed else None
        return await self.gateway.ask(
            command,
            self.caller,
            key=key,
            argument_hash=self.argument_hash if key else "",
            refusal=refusal or self.refusal,
        )

    async def device_facts(self) -> DeviceFacts | None:
        """The calling device with its links; None when an agent calls."""
        return await self.gateway.device(self.caller.subject) if self.caller.is_device else None

    async def check(self) -> None:
        """Make sure that the credential is still good, before an open wait delivers (R46)."""
        tokens = self.gateway.tokens
        await (tokens.runs.check(self.digest) if self.caller.run else tokens.check(self.digest))

    async def tokens_changed(self) -> None:
        """Make every gateway look its tokens up again; called before a revocation is answered (R46)."""
        await self.gateway.tokens.changed()

    @property
    def cursors(self) -> Cursors:
        """Writes and reads the cursors of this installation."""
        return self.gateway.cursors

    async def is_member(self, project: str) -> bool:
        """Whether the caller is in a project, or was at most two seconds ago."""
        return await self.gateway.facts.is_member(self.caller, project)

    async def unless_member(self, project: str) -> Problem | None:
        """The refusal of a call that names a project which is not the caller's."""
        return None if await self.is_member(project) else NotFound(NOT_YOUR_PROJECT, field="project")

    async def projects(self, *, including: str | None = None) -> list[str]:
        """The caller's projects, at most two seconds old; a new one that must be among them is not overlooked."""
        return await self.gateway.facts.projects(self.caller, including=including)

    async def wait(self, wanted: Wanted, cursor: str | None, timeout_seconds: int | None) -> Waited:
        """Wait for entries after the cursor, or after what was acknowledged; registers first, then reads (R23)."""
        policy = self.gateway.policy
        effective = min(policy.wait_seconds if timeout_seconds is None else timeout_seconds, policy.max_wait_seconds)
        deadline = self.gateway.time() + effective
        after = self.cursors.read_positions(wanted.binding, cursor) if cursor is not None else None
        resync = cursor is not None and after is None
        with self.gateway.waits.open(wanted.recipient, self._new_wait(wanted)) as wait:
            reading = await self._read(wanted, after, wait, acknowledged=True)
            while not (reading.entries or reading.resync or resync):
                if not await self._sleep(wait, deadline - self.gateway.time()):
                    break
                reading = await self._next(wanted, reading.positions, wait)
            await self.check()
            wait.delivered = bool(reading.entries or reading.resync or resync)
        return Waited(
            entries=list(reading.entries),
            next_cursor=self.cursors.write_positions(wanted.binding, reading.positions),
            timed_out=not wait.delivered,
            effective_timeout_seconds=effective,
            resync=reading.resync or resync,
            retry_after_seconds=wait.retry_after if not reading.entries else None,
        )

    def _new_wait(self, wanted: Wanted) -> Wait:
        credential = self.caller.credential_id or self.digest
        return Wait(credential, self.digest, wanted.services, is_run=self.caller.run is not None)

    async def _next(self, wanted: Wanted, after: Positions, wait: Wait) -> Reading:
        """What rode along with the wake-up if that is all there is and may be shown; else it is read."""
        brought = wait.brought() if wanted.takes_riders else None
        riders = {service: list(map(Entry.model_validate, told)) for service, told in (brought or {}).items()}
        if not riders or not self._are_fresh(riders) or not await self._may_see(riders):
            return await self._read(wanted, after, wait, acknowledged=False)
        return self._note(ride(wanted, after, riders), wait)

    def _are_fresh(self, riders: dict[str, list[Entry]]) -> bool:
        """Whether entries are no older than facts may be; what was told late may since be redacted or not theirs."""
        since = self.gateway.clock() - timedelta(seconds=self.gateway.policy.facts_seconds)
        return all(entry.at >= since for told in riders.values() for entry in told)

    async def _may_see(self, riders: dict[str, list[Entry]]) -> bool:
        """Whether the caller is now in the projects of entries; rooms wrote its own for members alone."""
        others = {entry.project for service, told in riders.items() if service != "rooms" for entry in told} - {None}
        return not others or others <= set(await self.gateway.facts.look_up(self.caller))

    async def _read(self, wanted: Wanted, after: Positions | None, wait: Wait, *, acknowledged: bool) -> Reading:
        wait.begin_to_read()
        rooms = await self.ask(wanted.rooms_query(after, acknowledged))
        if wanted.project is not None and wanted.project not in rooms.projects:
            raise NotFound(NOT_YOUR_PROJECT, field="project")
        pages = {"rooms": rooms}
        if wanted.task_kinds:
            pages["tasks"] = await self.ask(wanted.tasks_query(after, acknowledged, rooms.projects))
        if wanted.pulse_kinds:
            pages["pulse"] = await self.ask(wanted.pulse_query(after, acknowledged, rooms.projects))
        return self._note(merge(pages, wanted.limit), wait)

    @staticmethod
    def _note(reading: Reading, wait: Wait) -> Reading:
        for service, number in reading.scanned.items():
            wait.read_up_to(service, number)
        return reading

    async def _sleep(self, wait: Wait, seconds: float) -> bool:
        return await wait.sleep(seconds, self.progress or _silent, self.gateway.policy.progress_seconds)


async def _silent(progress: float) -> None:
    return None
