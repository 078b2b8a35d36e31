"""Open waits: update streams wake them, and they end early for a reason (R23, R24, R25)."""

from __future__ import annotations

import asyncio
import random
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

from libs.contracts.errors import Problem
from services.gateway.metrics import OPEN_WAITS, WAITS

CROWDED_SECONDS = 30
DRAIN_SECONDS = (1, 10)

Early = Literal["drained", "crowded", "revoked"]
"""Why a wait ends before its time."""
Progress = Callable[[float], Awaitable[None]]


class Wait:
    """One waiting call."""

    __slots__ = (
        "_brought",
        "_event",
        "_heard",
        "_seen",
        "_services",
        "credential",
        "delivered",
        "digest",
        "early",
        "is_run",
        "retry_after",
    )

    def __init__(self, credential: str, digest: str, services: Collection[str], *, is_run: bool = False) -> None:
        """`services` are those whose mailboxes are read; what the others have wakes nobody.

        The digest is that of the token, which a run's credential keeps only as long as the run lives.
        """
        self.credential = credential
        self.is_run = is_run
        self.digest = digest
        self.early: Early | None = None
        self.delivered = False
        self.retry_after: int | None = None
        self._services = services
        self._seen: dict[str, int] = {}
        """Per service the number that this wait has read up to."""
        self._heard: dict[str, int] = {}
        """Per service the newest number that it was told of since it last began to read."""
        self._brought: dict[tuple[str, int], Any] = {}
        """The entries that rode along, by service and number."""
        self._event = asyncio.Event()

    def tell(self, service: str, number: int, entries: Sequence[dict[str, Any]] = ()) -> None:
        """There is an entry, which may have ridden along; one that was read already wakes nobody."""
        if service not in self._services:
            return
        self._heard[service] = max(number, self._heard.get(service, 0))
        self._brought.update({(service, entry["number"]): entry for entry in entries})
        if number > self._seen.get(service, 0):
            self._event.set()

    def end(self, why: Early, retry_after: int | None = None) -> None:
        """Let the call answer now as timed out, with advice when to come back."""
        self.early = why
        self.retry_after = retry_after
        self._event.set()

    def begin_to_read(self) -> None:
        """What was told until now is committed and about to be read; a number that is not there wakes only once."""
        self._heard.clear()
        self._brought.clear()

    def brought(self) -> dict[str, list[Any]] | None:
        """Per service all entries after what was read, oldest first; None when one of them did not ride along."""
        news = {service: range(self._seen.get(service, 0) + 1, newest + 1) for service, newest in self._heard.items()}
        if sum(map(len, news.values())) > len(self._brought):
            return None
        there = {
            service: [self._brought.get((service, number)) for number in numbers] for service, numbers in news.items()
        }
        return None if any(None in entries for entries in there.values()) else there

    def read_up_to(self, service: str, number: int) -> None:
        """Note what was read; what was told beyond it meanwhile wakes the wait at once."""
        self._seen[service] = number
        self._brought = {at: entry for at, entry in self._brought.items() if at[0] != service or at[1] > number}

    async def sleep(self, seconds: float, progress: Progress, every: float) -> bool:
        """Sleep until something is there, the wait is ended or the time is up; whether something may be there."""
        loop = asyncio.get_running_loop()
        started = loop.time()
        deadline = started + seconds
        while not self._woken():
            pause = min(deadline, loop.time() + every) - loop.time()
            if pause <= 0:
                return False
            await self._pause(pause)
            if not self._event.is_set() and loop.time() < deadline:
                await progress(loop.time() - started)
        return self.early is None

    def _woken(self) -> bool:
        return bool(self.early) or any(number > self._seen.get(service, 0) for service, number in self._heard.items())

    async def _pause(self, seconds: float) -> None:
        self._event.clear()
        try:
            async with asyncio.timeout(seconds):
                await self._event.wait()
        except TimeoutError:
            return


class Waits:
    """The open waits of this gateway process."""

    def __init__(self, per_credential: int) -> None:
        self._per_credential = per_credential
        self._of_recipient: dict[str, set[Wait]] = defaultdict(set)
        self._of_credential: dict[str, list[Wait]] = defaultdict(list)
        self.draining = False

    @contextmanager
    def open(self, recipient: str, wait: Wait) -> Iterator[Wait]:
        """Register a wait before anything is read; the ninth of a credential ends its oldest."""
        mine = self._of_credential[wait.credential]
        if len(mine) >= self._per_credential:
            mine[0].end("crowded", CROWDED_SECONDS)
            del mine[0]
        mine.append(wait)
        self._of_recipient[recipient].add(wait)
        if self.draining:
            wait.end("drained", _jitter())
        try:
            with _counted(wait):
                yield wait
        finally:
            self._close(recipient, wait)

    def _close(self, recipient: str, wait: Wait) -> None:
        waiting = self._of_recipient[recipient]
        waiting.discard(wait)
        if not waiting:
            del self._of_recipient[recipient]
        mine = self._of_credential[wait.credential]
        if wait in mine:
            mine.remove(wait)
        if not mine:
            del self._of_credential[wait.credential]

    def wake(self, recipient: str, service: str, number: int, entries: Sequence[dict[str, Any]] = ()) -> None:
        """A recipient has an entry with this number; the newest ones may have ridden along."""
        for wait in self._of_recipient.get(recipient, ()):
            wait.tell(service, number, entries)

    def drain(self) -> None:
        """End all waits, and those still to come: this process stops."""
        self.draining = True
        for wait in self.open_waits():
            wait.end("drained", _jitter())

    def recipients(self) -> list[str]:
        """Who has a wait open."""
        return list(self._of_recipient)

    def open_waits(self) -> list[Wait]:
        """All waits that are open now."""
        return [wait for waiting in self._of_recipient.values() for wait in waiting]


@contextmanager
def _counted(wait: Wait) -> Iterator[None]:
    OPEN_WAITS.inc()
    end = "departed"
    try:
        yield
        end = "delivered" if wait.delivered else wait.early or "timed_out"
    except Problem:
        end = "refused"
        raise
    finally:
        OPEN_WAITS.dec()
        WAITS.labels(end).inc()


def _jitter() -> int:
    return random.randint(*DRAIN_SECONDS)
