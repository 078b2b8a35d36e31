"""Reports of runs: which attempt one belongs to (R38, R39)."""

from __future__ import annotations

from collections.abc import Sequence

from libs.contracts.caller import Caller
from libs.contracts.errors import InvalidInput, NotFound
from libs.contracts.tasks import DescribeRun, RunFacts
from libs.contracts.types import owner_of
from services.tasks.domain.attempts import Attempt
from services.tasks.domain.tasks import Task


def describe_run(asked: DescribeRun, task: Task | None, attempts: Sequence[Attempt], caller: Caller) -> RunFacts:
    """The reporter's attempt that was claimed with this run id, else its newest that has no report."""
    if task is None or not _is_of(task.assignee, asked, caller):
        raise NotFound("Report a run of a task of your own, or of an agent linked to this device.", field="task_id")
    if asked.project != task.project:
        raise InvalidInput("Name the task's own project.", field="project")
    attempt = _reported(asked, [one for one in attempts if _is_own(one, asked, caller)])
    return RunFacts(
        attempt_id=attempt.attempt_id,
        task_id=task.task_id,
        project=task.project,
        agent_id=attempt.agent_id,
        owner=owner_of(attempt.agent_id),
        late=attempt.ending == "lapsed",
    )


def _is_of(agent_id: str, asked: DescribeRun, caller: Caller) -> bool:
    return caller.subject == agent_id if asked.device is None else agent_id in asked.device.agents


def _is_own(attempt: Attempt, asked: DescribeRun, caller: Caller) -> bool:
    """A device reports what it claimed, and what its agents took themselves; an agent reports what is its own."""
    claimed_elsewhere = asked.device is not None and attempt.device_id not in (None, asked.device.device_id)
    return _is_of(attempt.agent_id, asked, caller) and not claimed_elsewhere


def _reported(asked: DescribeRun, own: Sequence[Attempt]) -> Attempt:
    free = sorted(
        (attempt for attempt in own if attempt.attempt_id not in asked.reported_attempts),
        key=lambda attempt: (attempt.started_at, attempt.attempt_id),
        reverse=True,
    )
    claimed = [attempt for attempt in free if (attempt.idempotency_key or "").lower() == asked.run_id]
    if not free:
        raise NotFound("Report a run of a task that was taken; its other runs are reported already.", field="task_id")
    return (claimed or free)[0]
