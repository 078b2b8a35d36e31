"""FastStream subscribers that hand on the raw entries of a read: one call per batch, acknowledged by us."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from faststream import AckPolicy
from faststream.redis import RedisBroker, StreamSub
from faststream.redis.message import RedisBatchStreamMessage
from redis.asyncio import Redis

from libs.bus.connection import BLOCK_MS
from libs.bus.envelope import FIELD

GONE_MS = 3_600_000

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


async def read_pending(client: Redis, stream: str, group: str, consumer: str, at_once: int) -> Entries:
    """What was handed to a consumer and is not acknowledged."""
    read = await client.xreadgroup(group, consumer, {stream: "0"}, count=at_once)
    return [
        (entry_id, (fields or {}).get(FIELD, b"")) for _, entries in by_stream(read) for entry_id, fields in entries
    ]


async def forget_consumers(client: Redis, stream: str, group: str) -> None:
    """Forget consumers that read nothing for an hour and left nothing: their processes are gone."""
    for consumer in await client.xinfo_consumers(stream, group):
        if consumer["pending"] == 0 and consumer["idle"] > GONE_MS:
            await client.xgroup_delconsumer(stream, group, consumer["name"])


def by_stream(read: object) -> list[tuple[str, list[tuple[bytes, dict[bytes, bytes]]]]]:
    """redis-py answers a list in RESP2 and a dict, one list deeper, in RESP3."""
    if isinstance(read, dict):
        return [(name.decode(), [entry for group in groups for entry in group]) for name, groups in read.items()]
    return [(name.decode(), entries) for name, entries in read or []]  # type: ignore[attr-defined]


_NOBODY: Any = None
