"""Dead letters, by the operator (R42)."""

from __future__ import annotations

import asyncio

from libs.contracts.dead_letters import (
    LIST_DEAD_LETTERS,
    REPLAY_EVENT,
    DeadLetters,
    OneDeadLetter,
    ReplayedEvent,
    WhichDeadLetters,
)
from services.gateway.people.endpoint import endpoint
from services.gateway.session import Session


@endpoint("GET", "/dead-letters", WhichDeadLetters)
async def list_dead_letters(query: WhichDeadLetters, session: Session) -> DeadLetters:
    """Events that a service, or any of them, could not handle, the oldest first."""
    asked = [query.service] if query.service else LIST_DEAD_LETTERS
    pages = await asyncio.gather(*(session.ask(LIST_DEAD_LETTERS[one](limit=query.limit)) for one in asked))
    letters = sorted((letter for page in pages for letter in page.dead_letters), key=lambda letter: letter.died_at)
    more = len(letters) > query.limit or any(page.more for page in pages)
    return DeadLetters(dead_letters=letters[: query.limit], more=more)


@endpoint("POST", "/dead-letters/{service}/{event_id}/replay", OneDeadLetter)
async def replay_event(command: OneDeadLetter, session: Session) -> ReplayedEvent:
    """Have a service handle an event again; if that fails, it stays a dead letter with the new error."""
    return await session.ask(REPLAY_EVENT[command.service](event_id=command.event_id))
