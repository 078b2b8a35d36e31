"""The answers of tasks, a file per noun."""

from services.tasks.handlers import (
    attempts,
    cancellations,
    claims,
    decisions,
    devices,
    discussions,
    handoffs,
    inbox,
    mailbox,
    previews,
    removals,
    requests,
    reviews,
    runs,
)

__all__ = [
    "attempts",
    "cancellations",
    "claims",
    "decisions",
    "devices",
    "discussions",
    "handoffs",
    "inbox",
    "mailbox",
    "previews",
    "removals",
    "requests",
    "reviews",
    "runs",
]
