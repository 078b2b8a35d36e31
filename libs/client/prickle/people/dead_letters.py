"""Dead letters: events that a service could not handle."""

from __future__ import annotations

from prickle.people.line import Line
from prickle.views import DeadLetterPage, ReplayedEvent


class DeadLettersApi(Line):
    """What an operator sees to when a service kept failing."""

    async def list_dead_letters(self, service: str | None = None, *, limit: int | None = None) -> DeadLetterPage:
        """Events that a service, or any of them, could not handle, the oldest first (operator)."""
        page: DeadLetterPage = await self._send("GET", "dead-letters", service=service, limit=limit)
        return page

    async def replay_event(self, service: str, event_id: str) -> ReplayedEvent:
        """Have a service handle an event again; `handled` says whether it could (operator)."""
        replayed: ReplayedEvent = await self._send("POST", "dead-letters", service, event_id, "replay")
        return replayed
