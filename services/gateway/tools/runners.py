"""Claims of runner devices: the gateway makes the run's token, whose SHA-256 alone travels on (R10)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from libs.contracts.caller import Run
from libs.contracts.errors import NotFound
from libs.contracts.rooms import FindMessage
from libs.contracts.tasks import ClaimDiscussion, ClaimTask
from libs.contracts.tools.rights import run_tools
from services.gateway.session import Session
from services.gateway.tokens import fingerprint, new_token
from services.gateway.tools.registry import tool


@tool
async def claim_task(asked: ClaimTask, session: Session) -> dict[str, Any]:
    """Claim a task for a run and show its credential, once."""
    token = new_token("run")
    facts = {"device": await session.device_facts(), "token_sha256": fingerprint(token)}
    claimed = await session.ask(asked.model_copy(update=facts))
    attempt = claimed.wire()
    run = Run(project=claimed.project, attempt_id=claimed.attempt_id, task_id=claimed.task_id)
    return {
        "attempt": {name: attempt[name] for name in ("attempt_id", "task_id", "claimed_at")},
        "execution_credential": credential(token, claimed.expires_at, run),
    }


@tool
async def claim_discussion(asked: ClaimDiscussion, session: Session) -> dict[str, Any]:
    """Claim a message for a run that answers it."""
    token = new_token("run")
    found = await session.ask(FindMessage(project=asked.project, message_id=asked.message_id))
    if found.is_task_request:
        raise NotFound("Claim the task of a Task request with claim_task.", field="message_id")
    device = await session.device_facts()
    facts = {"device": device, "token_sha256": fingerprint(token), "mentioned": found.mentioned}
    claimed = await session.ask(asked.model_copy(update=facts))
    said = claimed.wire()
    run = Run(project=claimed.project, discussion_id=claimed.discussion_id, message_id=claimed.message_id)
    return {
        "discussion": {name: said[name] for name in ("discussion_id", "message_id", "agent_id", "claimed_at")},
        "execution_credential": credential(token, claimed.expires_at, run),
    }


def credential(token: str, expires_at: datetime, run: Run) -> dict[str, Any]:
    """An execution credential as the reference shows it."""
    until = expires_at.isoformat().replace("+00:00", "Z")
    return {"token": token, "expires_at": until, "allowed_tools": run_tools(run)}
