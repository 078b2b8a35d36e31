"""The names of the streams."""

from __future__ import annotations

COMMANDS_KEPT = 100_000
REPLIES_KEPT = 10_000
UPDATES_KEPT = 5_000
EVENTS_KEPT = 100_000


def commands(service: str) -> str:
    """Where a service's commands arrive."""
    return f"prickle:{service}:commands"


def events(service: str) -> str:
    """Where a service's events leave."""
    return f"prickle:events:{service}"


def replies(gateway: str) -> str:
    """Where one gateway process reads its replies."""
    return f"prickle:replies:{gateway}"


def updates(service: str) -> str:
    """Where a service's wake-ups go: of its own mailboxes alone, as no other service may write there."""
    return f"prickle:updates:{service}"
