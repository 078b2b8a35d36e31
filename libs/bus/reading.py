"""FastStream subscribers that hand on the raw entries of a read: one call per batch, acknowledged by us."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from faststream import AckPolicy
from faststream.redis import RedisBroker, StreamSub
from faststream.redis.message import RedisBatchStreamMessage

from libs.bus.connection import BLOCK_MS
from libs.bus.envelope import FIELD

Entries = list[tuple[bytes, bytes]]
"""Entry ids and the contents of their one field."""


def read_batches(
    broker: RedisBroker,
    stream: str,
    *,
    group: str,
    consumer: str,
    at_once: int,
    handle: Callable[[Entries], Awaitable[None]],
) -> Any:
    """Subscribe `handle` to a stream as a consumer of a group; returns the FastStream subscriber."""
    subscription = StreamSub(
        stream, group=group, consumer=consumer, batch=True, max_records=at_once, polling_interval=BLOCK_MS
    )
    subscriber = broker.subscriber(
        stream=subscription, ack_policy=AckPolicy.MANUAL, no_reply=True, parser=_whole, decoder=_entries
    )
    subscriber(handle)
    return subscriber


async def _whole(raw: Any) -> RedisBatchStreamMessage:
    """Skip FastStream's parsing of a batch, which decodes each body twice; ours happens once, per entry."""
    entry_id = raw["message_ids"][0].decode()
    return RedisBatchStreamMessage(
        raw_message=raw, body=b"", message_id=entry_id, correlation_id=entry_id, consumer=_NOBODY, group=None
    )


async def _entries(message: RedisBatchStreamMessage) -> Entries:
    raw = message.raw_message
    return [
        (entry_id, fields.get(FIELD, b"")) for entry_id, fields in zip(raw["message_ids"], raw["data"], strict=True)
    ]


_NOBODY: Any = None
