"""Once: a writing command's answer is stored in its transaction and found again by whoever repeats it (R40)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import bindparam, delete, select

from libs.bus.envelope import Order
from libs.bus.tables import ANSWERS
from libs.contracts.errors import IdempotencyConflict
from libs.contracts.policy import Policy
from libs.storage import Session

FIND = select(ANSWERS.c.key, ANSWERS.c.argument_hash, ANSWERS.c.answer).where(
    ANSWERS.c.key.in_(bindparam("keys", expanding=True)), ANSWERS.c.expires_at > bindparam("now")
)
FORGET_EXPIRED = delete(ANSWERS).where(
    ANSWERS.c.key.in_(bindparam("keys", expanding=True)), ANSWERS.c.expires_at <= bindparam("now")
)
INSERT = ANSWERS.insert()


@dataclass(frozen=True, slots=True)
class Stored:
    """An answer given before, as JSON, and the hash of the arguments it answered."""

    argument_hash: str
    answer: bytes


async def find_answers(session: Session, keys: Iterable[str], now: datetime) -> dict[str, Stored]:
    """The answers stored under these keys."""
    rows = (await session.execute(FIND, {"keys": list(keys), "now": now})).all()
    return {row.key: Stored(row.argument_hash, row.answer) for row in rows}


def repeat(stored: Stored, order: Order) -> bytes:
    """The stored answer for an order that repeats; refused when its arguments are others."""
    if stored.argument_hash != order.argument_hash:
        raise IdempotencyConflict(
            "This idempotency key belongs to a call with other arguments; use a new key.", field="idempotency_key"
        )
    return stored.answer


async def store_answers(
    session: Session, answered: Sequence[tuple[Order, bytes]], now: datetime, policy: Policy
) -> None:
    """Store answers; two transactions with one key cannot both commit."""
    if keyed := [order.once_key for order, _ in answered if order.keyed]:
        await session.execute(FORGET_EXPIRED, {"keys": keyed, "now": now})
    await session.execute(INSERT, [_row(order, answer, now, policy) for order, answer in answered])


def _row(order: Order, answer: bytes, now: datetime, policy: Policy) -> dict[str, object]:
    kept = policy.keyed_answers_seconds if order.keyed else policy.answers_seconds
    return {
        "key": order.once_key,
        "argument_hash": order.argument_hash,
        "answer": answer,
        "expires_at": now + timedelta(seconds=kept),
    }


async def was_consumed(session: Session, event_id: str, now: datetime) -> bool:
    """Whether this service has handled an event before (R42)."""
    return bool(await find_answers(session, [_event_key(event_id)], now))


async def note_consumed(session: Session, event_id: str, now: datetime, policy: Policy) -> None:
    """Note an event as handled, for as long as it may be published again."""
    expires_at = now + timedelta(seconds=policy.outbox_kept_seconds)
    row = {"key": _event_key(event_id), "argument_hash": "", "answer": b"", "expires_at": expires_at}
    await session.execute(INSERT, [row])


def _event_key(event_id: str) -> str:
    return f"event:{event_id}"
