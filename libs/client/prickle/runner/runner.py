"""The runner: waits for updates, writes them down, and lets what they offer run."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from prickle.errors import HubError
from prickle.runner.dispatcher import Dispatcher
from prickle.runner.journal import Offer
from prickle.runner.machine import Machine
from prickle.runner.updates import cancelled_task, offer_of

WAIT_SECONDS = 50
TICK_SECONDS = 1.0


class Runner:
    """One runner; `once` ends it when everything that is there now has run."""

    def __init__(self, machine: Machine, *, once: bool = False) -> None:
        self._machine, self._once = machine, once
        self._stopping = asyncio.Event()
        self._failure: BaseException | None = None
        self._dispatcher = Dispatcher(machine, self._fail)

    def stop(self) -> None:
        """Claim nothing more, ask the runs to end, report them."""
        self._stopping.set()

    async def run(self) -> None:
        """Until it is stopped; raises `HubError` when the hub no longer lets this device in."""
        ticking = asyncio.create_task(self._tick())
        self._dispatcher.recover()
        self._dispatcher.dispatch()
        try:
            await self._listen()
            while self._once and self._dispatcher.busy and not self._stopping.is_set():
                await self._unless_stopped(self._dispatcher.wait())
            await self._dispatcher.close()
        finally:
            ticking.cancel()
        if self._failure is not None:
            raise self._failure

    async def _listen(self) -> None:
        while not self._stopping.is_set():
            page = await self._next_page()
            if page is None:
                return
            self._take(page)
            self._dispatcher.dispatch()
            if self._once and not page["updates"]:
                return
            await self._unless_stopped(asyncio.sleep(page.get("retry_after_seconds", 0)))

    async def _next_page(self) -> Mapping[str, Any] | None:
        """The next updates; None when the runner is stopped meanwhile."""
        try:
            page: Mapping[str, Any] | None = await self._unless_stopped(self._wait())
        except HubError as error:
            self._fail(error)
            return None
        return page

    async def _wait(self) -> Mapping[str, Any]:
        """A wait from where the journal is; from what the hub remembers when it no longer knows that place."""
        cursor = self._machine.journal.cursor
        arguments: dict[str, Any] = {"timeout_seconds": 0 if self._once else WAIT_SECONDS}
        known = {} if cursor is None else {"cursor": cursor}
        try:
            return await self._machine.hub.call_patiently("wait_for_updates", arguments | known)
        except HubError as error:
            if error.code != "bad_cursor":
                raise
            return await self._machine.hub.call_patiently("wait_for_updates", arguments)

    def _take(self, page: Mapping[str, Any]) -> None:
        """Write a page down; only then may the next wait acknowledge it (R20)."""
        offers: list[Offer] = []
        for update in page["updates"]:
            offer, cancelled = offer_of(update), cancelled_task(update)
            if offer is not None and offer.agent_id in self._machine.configuration.agents:
                self._dispatcher.supersede(offer)
                offers.append(offer)
            if cancelled is not None:
                self._dispatcher.cancel(cancelled)
                offers = [offer for offer in offers if offer.subject != cancelled]
        self._machine.journal.take(offers, page["next_cursor"])

    async def _unless_stopped(self, work: Any) -> Any:
        """What the work gives; None when the runner is stopped before it is done."""
        working, stopping = asyncio.ensure_future(work), asyncio.create_task(self._stopping.wait())
        try:
            await asyncio.wait({working, stopping}, return_when=asyncio.FIRST_COMPLETED)
            return await working if working.done() else None
        finally:
            stopping.cancel()
            working.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await working

    def _fail(self, error: BaseException) -> None:
        """The first failure ends the runner; its runs are taken up again by the next."""
        self._failure = self._failure or error
        self._stopping.set()

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK_SECONDS)
            self._machine.board.tick()
