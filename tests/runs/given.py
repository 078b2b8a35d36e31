"""What the tests of runs start from."""

from __future__ import annotations

from itertools import count
from typing import Any
from uuid import uuid4

from libs.contracts.caller import Caller
from libs.contracts.runs import ListRuns, ReportedRun, ReportRun, RunRecord, RunTotal, SumRuns
from libs.contracts.tasks import RunFacts
from tests.harness import Hub

PROJECT = "website-v2"
UNKNOWN = {"input_tokens": None, "output_tokens": None, "turns": None, "duration_ms": None, "exit_code": None}
DEVICE = Caller(kind="device", subject="dev_1", owner="maya")
numbers = count(1)


def fresh_owner() -> str:
    """A person whose agents no other test knows."""
    return f"maya{next(numbers)}"


def run_of(owner: str, **changes: Any) -> ReportRun:
    """A run of the person's agent `codex`, in a task and attempt of its own."""
    attempt = str(next(numbers))
    facts = {
        "attempt_id": f"att_{attempt}",
        "task_id": changes.get("task_id", f"task_{attempt}"),
        "project": changes.get("project", PROJECT),
        "agent_id": f"{owner}/codex",
        "owner": owner,
        "late": False,
    }
    said = {"project": facts["project"], "run_id": str(uuid4()), "task_id": facts["task_id"], **UNKNOWN}
    facts |= {name: changes.pop(name) for name in facts if name in changes}
    return ReportRun(**(said | changes), facts=RunFacts(**facts))


async def report(hub: Hub, owner: str, **changes: Any) -> ReportedRun:
    """Report a run of the person's agent `codex`."""
    return await hub.ask(run_of(owner, **changes), DEVICE)


async def runs(hub: Hub, owner: str, **asked: Any) -> list[RunRecord]:
    """The records that a person reads."""
    return (await hub.ask(ListRuns(**asked), owner)).runs


async def totals(hub: Hub, owner: str, by: Any, **asked: Any) -> dict[str, RunTotal]:
    """The totals that a person reads, by group."""
    return {total.group: total for total in (await hub.ask(SumRuns(by=by, **asked), owner)).totals}
