"""Claiming for a run, under its own id: the same claim again is the same attempt with a fresh credential (R10)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from prickle.client import Hub
from prickle.runner.journal import Run


@dataclass(frozen=True)
class Credential:
    """What a claim gives: the token of one run."""

    token: str = field(repr=False)
    claimed_at: str
    expires_at: datetime


async def claim(hub: Hub, run: Run) -> Credential:
    """Claim, however long the hub is away; any other refusal is raised."""
    tool, arguments = _call(run)
    answer = await hub.call_patiently(tool, arguments | {"idempotency_key": run.run_id}, passing=("unavailable",))
    claimed = answer["attempt" if run.kind == "task" else "discussion"]
    given = answer["execution_credential"]
    return Credential(given["token"], claimed["claimed_at"], datetime.fromisoformat(given["expires_at"]))


def _call(run: Run) -> tuple[str, dict[str, Any]]:
    if run.kind == "task":
        return "claim_task", {"task_id": run.subject}
    about = {"project": run.project, "message_id": run.subject, "agent_id": run.agent_id}
    return "claim_discussion", about
