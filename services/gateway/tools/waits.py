"""Waiting for what concerns the caller."""

from __future__ import annotations

from typing import Any, get_args

from libs.contracts.base import View
from libs.contracts.caller import Caller
from libs.contracts.rooms import MemoryEntry, Message
from libs.contracts.tasks import RenewRuns
from libs.contracts.waits import UpdateKind, Wait, WaitForMention, WaitForUpdates
from services.gateway.mailboxes import Wanted
from services.gateway.session import Session
from services.gateway.tools.registry import tool

MENTION_KINDS = ("mention", "task_request")
ROOM_KINDS = ("mention", "memory_changed", "discussion")
PULSE_KINDS = ("pulse_overlap", "lease_granted", "park_cleared")
TASK_KINDS = tuple(kind for kind in get_args(UpdateKind) if kind not in (*ROOM_KINDS, *PULSE_KINDS))
CLOSED: dict[str, type[View]] = {"message": Message, "entry": MemoryEntry}
"""What has a schema that allows no further fields, though a newer service may have written some (R47)."""


@tool
async def wait_for_mention(asked: WaitForMention, session: Session) -> dict[str, Any]:
    """The caller's mentions, as soon as there is one."""
    wanted = Wanted(
        tool="wait_for_mention",
        recipient=session.caller.subject,
        limit=asked.limit,
        room_kinds=MENTION_KINDS,
        filter=_project_filter(asked, session.caller),
        **_narrowed(asked, session.caller),
    )
    waited = await session.wait(wanted, asked.cursor, _timeout(asked))
    return {"mentions": [_known(entry.body)["message"] for entry in waited.entries], **waited.wire()}


@tool
async def wait_for_updates(asked: WaitForUpdates, session: Session) -> dict[str, Any]:
    """Everything that concerns the caller, as soon as there is something."""
    if session.caller.is_device:
        await session.ask(RenewRuns(device_id=session.caller.subject))
    kinds = set(asked.kinds or get_args(UpdateKind))
    wanted = Wanted(
        tool="wait_for_updates",
        recipient=session.caller.subject,
        limit=asked.limit,
        room_kinds=() if session.caller.kind == "tasks" else tuple(kind for kind in ROOM_KINDS if kind in kinds),
        task_kinds=tuple(kind for kind in TASK_KINDS if kind in kinds),
        pulse_kinds=() if session.caller.is_device else tuple(kind for kind in PULSE_KINDS if kind in kinds),
        filter=_filter(asked, session.caller),
        **_narrowed(asked, session.caller),
    )
    waited = await session.wait(wanted, asked.cursor, _timeout(asked))
    updates = [
        {"kind": entry.kind, "project": entry.project, "at": entry.wire()["at"], **_known(entry.body)}
        for entry in waited.entries
    ]
    return {"updates": updates, **waited.wire()}


def _known(body: dict[str, Any]) -> dict[str, Any]:
    """An entry's body without what its schemas do not allow."""
    return {
        name: CLOSED[name].model_validate(thing).wire() if name in CLOSED else thing for name, thing in body.items()
    }


def _timeout(asked: Wait) -> int | None:
    """None where the call names none: then the installation's own counts, which may be another than the schema's."""
    return asked.timeout_seconds if "timeout_seconds" in asked.model_fields_set else None


def _narrowed(asked: Wait, caller: Caller) -> dict[str, Any]:
    """What the arguments and the credential leave of the mailboxes (R21)."""
    scope = caller.project if caller.kind == "project" else caller.kind if caller.kind == "tasks" else ""
    task_id = caller.run.task_id if caller.run else None
    return {"project": asked.project, "scope": scope, "task_id": task_id}


def _filter(asked: WaitForUpdates, caller: Caller) -> str:
    """What makes a filtered cursor another one; empty when nothing is filtered."""
    kinds = f"kinds={','.join(sorted(set(asked.kinds)))}" if asked.kinds else ""
    return ";".join(part for part in (_project_filter(asked, caller), kinds) if part)


def _project_filter(asked: Wait, caller: Caller) -> str:
    """The one project of a credential is its scope, not a filter."""
    return f"project={asked.project}" if asked.project and asked.project != caller.project else ""
