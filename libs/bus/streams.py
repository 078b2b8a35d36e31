"""The names of the streams."""

from __future__ import annotations

from zlib import crc32

UPDATE_SHARDS = 4
COMMANDS_KEPT = 100_000
REPLIES_KEPT = 10_000
UPDATES_KEPT = 2_000
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


def updates(recipient: str) -> str:
    """Where a recipient's wake-ups go."""
    return f"prickle:updates:{crc32(recipient.encode()) % UPDATE_SHARDS}"


def all_updates() -> list[str]:
    """Every stream of wake-ups."""
    return [f"prickle:updates:{shard}" for shard in range(UPDATE_SHARDS)]
