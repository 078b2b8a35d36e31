"""Waiting for what concerns the caller."""

from __future__ import annotations

from typing import Any, get_args

from libs.contracts.waits import UpdateKind, WaitForMention, WaitForUpdates
from services.gateway.mailboxes import Wanted
from services.gateway.session import Session
from services.gateway.tools.registry import tool

MENTION_KINDS = ("mention", "task_request")
ROOM_KINDS = ("mention", "memory_changed")
TASK_KINDS = tuple(kind for kind in get_args(UpdateKind) if kind not in ROOM_KINDS)


@tool
async def wait_for_mention(asked: WaitForMention, session: Session) -> dict[str, Any]:
    """The caller's mentions, as soon as there is one."""
    wanted = Wanted(
        tool="wait_for_mention",
        recipient=session.caller.subject,
        limit=asked.limit,
        room_kinds=MENTION_KINDS,
        project=asked.project,
        filter=f"project={asked.project}" if asked.project else "",
    )
    waited = await session.wait(wanted, asked.cursor, asked.timeout_seconds)
    return {"mentions": [entry.body["message"] for entry in waited.entries], **waited.wire()}


@tool
async def wait_for_updates(asked: WaitForUpdates, session: Session) -> dict[str, Any]:
    """Everything that concerns the caller, as soon as there is something."""
    kinds = set(asked.kinds or get_args(UpdateKind))
    wanted = Wanted(
        tool="wait_for_updates",
        recipient=session.caller.subject,
        limit=asked.limit,
        room_kinds=tuple(kind for kind in ROOM_KINDS if kind in kinds),
        task_kinds=tuple(kind for kind in TASK_KINDS if kind in kinds),
        project=asked.project,
        filter=_filter(asked),
    )
    waited = await session.wait(wanted, asked.cursor, asked.timeout_seconds)
    updates = [
        {"kind": entry.kind, "project": entry.project, "at": entry.wire()["at"], **entry.body}
        for entry in waited.entries
    ]
    return {"updates": updates, **waited.wire()}


def _filter(asked: WaitForUpdates) -> str:
    """What makes a filtered cursor another one; empty when nothing is filtered."""
    parts = [f"project={asked.project}"] if asked.project else []
    if asked.kinds:
        parts.append("kinds=" + ",".join(sorted(set(asked.kinds))))
    return ";".join(parts)
