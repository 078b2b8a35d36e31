"""What a service's bus counts for `/metrics`. Labels are names of ours alone: services, contracts, codes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from time import perf_counter
from typing import Any

from prometheus_client import Counter, Gauge, Histogram

from libs.bus.envelope import Order, Reply
from libs.contracts.base import Command

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
SIZES = (1, 2, 4, 8, 16, 32, 64)
ANSWERED = "answered"

HANDLED = Counter(
    "prickle_commands_handled", "Commands by outcome: answered, or a refusal's code", ["service", "command", "outcome"]
)
HANDLING = Histogram(
    "prickle_command_seconds",
    "From the start of a command's transaction to its end",
    ["service", "command"],
    buckets=SECONDS,
)
DROPPED = Counter(
    "prickle_commands_dropped",
    "Commands that nobody waited for any more, or that were not understood",
    ["service", "why"],
)
BATCHES = Histogram("prickle_command_batch_size", "Commands that one read brought", ["service"], buckets=SIZES)
WAITING = Gauge("prickle_commands_waiting", "Commands on the stream: unread, or read and not answered yet", ["service"])

EVENTS = Counter(
    "prickle_events_handled", "Deliveries of events of others: consumed, failed or dead_letter", ["service", "outcome"]
)
PENDING = Gauge("prickle_events_pending", "Events that were read and are to be tried again", ["service", "source"])
UNREAD = Gauge("prickle_events_unread", "Events of others that are not read yet", ["service", "source"])
DEAD = Gauge("prickle_dead_letters", "Events put aside for the operator", ["service"])

UNSENT = Gauge("prickle_outbox_unsent_seconds", "How long the oldest event has waited to be published", ["service"])
WAKEUPS = Counter("prickle_wakeups", "Wake-ups told to the gateways after a commit", ["service"])

RESENT = Counter("prickle_commands_resent", "Commands sent once more for want of an answer", ["service"])
REFUSED = Counter("prickle_commands_refused", "Commands not sent for too many were unanswered", ["service"])
UNANSWERED = Counter("prickle_commands_unanswered", "Commands without an answer at their deadline", ["service"])
LATE = Counter("prickle_replies_late", "Replies that nobody waited for any more")


def note_handled(orders: Sequence[Order], replies: Sequence[Reply], started: float) -> None:
    """Count commands that were carried out together since `started`, on `perf_counter`'s clock."""
    seconds = perf_counter() - started
    for order, reply in zip(orders, replies, strict=True):
        kind = type(order.command)
        _handled(kind, reply.problem.code if reply.problem else ANSWERED).inc()
        _handling(kind).observe(seconds)


@cache
def _handled(kind: type[Command[Any]], outcome: str) -> Counter:
    return HANDLED.labels(kind.service, kind.type_name, outcome)


@cache
def _handling(kind: type[Command[Any]]) -> Histogram:
    return HANDLING.labels(kind.service, kind.type_name)
