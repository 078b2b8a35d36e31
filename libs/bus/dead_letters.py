"""Dead letters: put aside after the last try, listed and handled again for the operator (R42)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import structlog
from sqlalchemy import Row, delete, select, update

from libs.bus.handlers import CONSUMERS, handles
from libs.bus.once import note_consumed, was_consumed
from libs.bus.tables import DEAD_LETTERS
from libs.bus.work import Work
from libs.contracts.base import Event
from libs.contracts.caller import Caller
from libs.contracts.dead_letters import (
    LIST_DEAD_LETTERS,
    REPLAY_EVENT,
    DeadLetter,
    DeadLetters,
    ListDeadLetters,
    ReplayedEvent,
    ReplayEvent,
)
from libs.contracts.errors import Conflict, Forbidden, NotFound
from libs.storage import insert_into, is_outage

log = structlog.get_logger()


async def consume(service: str, event_id: str, event: Event, work: Work) -> None:
    """Have a service take note of an event, unless it did before."""
    if not await was_consumed(work.session, event_id, work.now):
        await CONSUMERS[service][type(event)](event, work)
        await note_consumed(work.session, event_id, work.now, work.policy)


async def bury(event_id: str, name: str, body: Any, failure: Exception, deliveries: int, work: Work) -> None:
    """Put an event aside that was tried in vain."""
    letter = {"event_id": event_id, "event": name, "body": body, "error": type(failure).__name__}
    row = {**letter, "deliveries": deliveries, "died_at": work.now}
    await work.session.execute(
        insert_into(work.session, DEAD_LETTERS).on_conflict_do_nothing(index_elements=["event_id"]), [row]
    )


async def list_dead_letters(query: ListDeadLetters, caller: Caller, work: Work) -> DeadLetters:
    """What this service could not handle, the oldest first."""
    _check_operator(caller)
    oldest = select(DEAD_LETTERS).order_by(DEAD_LETTERS.c.died_at, DEAD_LETTERS.c.event_id)
    rows = (await work.session.execute(oldest.limit(query.limit + 1))).all()
    letters = [
        DeadLetter(
            service=query.service,
            event_id=row.event_id,
            event=row.event,
            error=_sentence(query.service, row.error),
            deliveries=row.deliveries,
            died_at=row.died_at,
        )
        for row in rows[: query.limit]
    ]
    return DeadLetters(dead_letters=letters, more=len(rows) > len(letters))


async def replay_event(command: ReplayEvent, caller: Caller, work: Work) -> ReplayedEvent:
    """Handle a dead letter again: what a failing handler wrote is taken back, what it failed with is kept."""
    _check_operator(caller)
    this = DEAD_LETTERS.c.event_id == command.event_id
    letter = (await work.session.execute(select(DEAD_LETTERS).where(this).with_for_update())).one_or_none()
    if letter is None:
        raise NotFound("Name a dead letter of this service; it may have been handled meanwhile.", field="event_id")
    failure = await _failure(command.service, letter, work)
    if failure is None:
        await work.session.execute(delete(DEAD_LETTERS).where(this))
        return ReplayedEvent(service=command.service, event_id=command.event_id, handled=True, error=None)
    error = type(failure).__name__
    tried = {"error": error, "deliveries": letter.deliveries + 1}
    await work.session.execute(update(DEAD_LETTERS).where(this).values(tried))
    said = _sentence(command.service, error)
    return ReplayedEvent(service=command.service, event_id=command.event_id, handled=False, error=said)


async def _failure(service: str, letter: Row[Any], work: Work) -> Exception | None:
    """Handle the event of a letter within the transaction; what went wrong, if anything did."""
    kind = {kind.type_name: kind for kind in CONSUMERS[service]}.get(letter.event)
    if kind is None:
        raise Conflict("Keep this letter for a version that follows such events; this one does not.")
    apart = replace(work, events=[], deliveries=[])
    try:
        async with work.session.begin_nested():
            await consume(service, letter.event_id, kind.model_validate(letter.body), apart)
    except Exception as error:
        if is_outage(error):
            raise
        log.exception("dead letter not handled", service=service, kind=letter.event, event_id=letter.event_id)
        return error
    work.events += apart.events
    work.deliveries += apart.deliveries
    return None


def _check_operator(caller: Caller) -> None:
    if caller.kind != "operator":
        raise Forbidden("Ask the operator of this installation to do this.")


def _sentence(service: str, error: str) -> str:
    """What went wrong, for whoever reads the log next: the texts of errors may hold SQL and what people wrote."""
    return f"Handling it failed with {error}: look for its event_id in the log of {service}."


for command in LIST_DEAD_LETTERS.values():
    handles(command)(list_dead_letters)
for replay in REPLAY_EVENT.values():
    handles(replay)(replay_event)
