"""What tests of tasks start from."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from libs.contracts.caller import Caller
from libs.contracts.policy import Policy
from libs.contracts.rooms import AgentAuthor, MemoryEntry, Message
from libs.contracts.tasks import AssigneeFacts, ClaimTask, DeviceFacts, Evidence, Handoff, MakeCheckpoint, ReturnResult
from libs.contracts.types import TakesTasksFrom
from services.tasks.domain import Attempt, Packet, Result, Task
from services.tasks.domain.handoffs import open_task
from tests.harness import caller

NOW = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
POLICY = Policy()
CODEX, CLAUDE = caller("maya/codex"), caller("jonas/claude")
MAYA, JONAS, ROSA = caller("maya"), caller("jonas"), caller("rosa")
"""Maya's codex hands tasks to jonas's claude in rosa's project."""


def a_handoff(**said: Any) -> Handoff:
    """A small handoff of one criterion."""
    plain = {"project": "website", "to": "jonas/claude", "title": "Fix the form", "objective": "It loses input."}
    return Handoff(**{**plain, "acceptance": ["The form keeps its input."], **said})


def facts(**known: Any) -> AssigneeFacts:
    """What the gateway knows: rosa's project, an assignee who takes tasks from the team."""
    return AssigneeFacts(**{"project_owner": "rosa", "takes_tasks_from": "team", "messages": [], **known})


def a_message(number: int = 0, body: str = "It happens on mobile.") -> Message:
    """A message of the room."""
    author = AgentAuthor(kind="agent", agent_id="maya/codex", owner="maya", display_name="Codex")
    return Message(
        id=f"msg_{number}",
        project="website",
        author=author,
        body=body,
        mentions=[],
        provenance="agent_generated",
        in_reply_to=None,
        task_id=None,
        created_at=NOW,
    )


def a_memory_entry(key: str = "stack", value: str = "Python 3.11") -> MemoryEntry:
    """An approved fact of the project."""
    return MemoryEntry(key=key, value=value, provenance="owner_approved", updated_by="rosa", updated_at=NOW)


def opened(by: Caller = CODEX, known: AssigneeFacts | None = None, **said: Any) -> tuple[Task, Packet]:
    """A requested task and its packet."""
    return open_task(a_handoff(**said), known or facts(), by, NOW)


def requested(by: Caller = CODEX) -> Task:
    """A requested task."""
    return opened(by)[0]


def working() -> tuple[Task, Attempt]:
    """A task that claude holds."""
    task = requested()
    return task, task.take(CLAUDE, None, NOW, POLICY)


def returned() -> tuple[Task, Result]:
    """A task whose result awaits a review."""
    task, attempt = working()
    return task, task.finish(attempt, a_return(task, attempt), NOW)


def a_checkpoint(task: Task, attempt: Attempt, **said: Any) -> MakeCheckpoint:
    """A word on how far claude is."""
    plain = {"task_id": task.task_id, "attempt_id": attempt.attempt_id, "summary": "Half of it works."}
    return MakeCheckpoint(**{**plain, **said})


def a_return(task: Task, attempt: Attempt, **said: Any) -> ReturnResult:
    """A result that proves the one criterion."""
    plain = {"task_id": task.task_id, "attempt_id": attempt.attempt_id, "outcome": "done", "summary": "It works."}
    return ReturnResult(**{**plain, "evidence": [proof()], **said})


def proof(kind: str = "commit", ref: str = "1a2b3c4", **said: Any) -> Evidence:
    """A piece of evidence."""
    return Evidence(kind=kind, ref=ref, **said)  # type: ignore[arg-type]


def a_device(takes: TakesTasksFrom = "team", slots: int = 1, **known: Any) -> DeviceFacts:
    """Jonas's device, linked to claude and the website."""
    plain = {"device_id": "dev_1", "owner": "jonas", "slots": slots, "agents": {"jonas/claude": takes}, "version": 1}
    return DeviceFacts(**{**plain, "projects": ["website"], **known})


def a_claim(task: Task, key: str = "run-1", token: str = "token-1", **said: Any) -> ClaimTask:
    """A claim of the device for a run."""
    return ClaimTask(task_id=task.task_id, idempotency_key=key, token_sha256=token, **said)
