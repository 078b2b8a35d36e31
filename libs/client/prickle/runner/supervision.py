"""Watching a program until it ends, or ending it."""

from __future__ import annotations

import asyncio
import signal
from dataclasses import dataclass
from typing import Literal

from prickle.runner.processes import Watched

Why = Literal["time_limit", "cancelled", "superseded", "stopped"]


@dataclass(frozen=True)
class Ending:
    """How a program ended."""

    code: int | None
    """Its exit code, negative for a signal; None when nobody saw it."""
    why: Why | None
    """Why the runner ended it; None when it ended by itself."""


class Order:
    """Tells whoever watches a run that it must end; the first word counts."""

    def __init__(self) -> None:
        self.why: Why | None = None
        self._given = asyncio.Event()

    def give(self, why: Why) -> None:
        self.why = self.why or why
        self._given.set()

    async def wait(self) -> None:
        await self._given.wait()


async def supervise(program: Watched, order: Order, *, limit: float, grace: float) -> Ending:
    """Wait until a program ends; after `limit` seconds, or on an order, make it. Its children go with it."""
    ending, ordered = asyncio.create_task(program.wait()), asyncio.create_task(order.wait())
    try:
        await asyncio.wait({ending, ordered}, timeout=max(limit, 0), return_when=asyncio.FIRST_COMPLETED)
        why = None if ending.done() else order.why or "time_limit"
        if why is not None:
            program.signal(signal.SIGTERM)
            await asyncio.wait({ending}, timeout=grace)
        program.signal(signal.SIGKILL)
        return Ending(await ending, why)
    finally:
        ordered.cancel()
        ending.cancel()
