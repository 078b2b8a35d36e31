"""Dead letters, as the HTTP API answers them."""

from __future__ import annotations

from typing import TypedDict


class DeadLetter(TypedDict):
    """An event that a service could not handle; `error` is one sentence."""

    service: str
    event_id: str
    event: str
    error: str
    deliveries: int
    died_at: str


class DeadLetterPage(TypedDict):
    """Dead letters, the oldest first."""

    dead_letters: list[DeadLetter]
    more: bool


class ReplayedEvent(TypedDict):
    """What came of handling an event again; unless it was handled, it stays with the new error."""

    service: str
    event_id: str
    handled: bool
    error: str | None
