"""Runs: whose a token is, which one a report belongs to, and keeping them alive."""

from __future__ import annotations

from libs.bus import Work, handles
from libs.contracts.caller import Caller
from libs.contracts.errors import NotFound
from libs.contracts.tasks import (
    DescribeRun,
    EndedRun,
    EndRun,
    RenewedRuns,
    RenewRuns,
    ResolveRunToken,
    RunFacts,
    RunToken,
)
from services.tasks.domain.reports import describe_run
from services.tasks.domain.run_tokens import UNKNOWN, token_of_attempt, token_of_discussion
from services.tasks.handlers.notices import tell_given_back
from services.tasks.store.attempts import attempts_at, run_behind
from services.tasks.store.discussions import discussion_behind
from services.tasks.store.tasks import any_task, lock_any_task, lock_tasks_run_by


@handles(ResolveRunToken)
async def resolve_run_token(command: ResolveRunToken, caller: Caller, work: Work) -> RunToken:
    """Say whose run a token is for and renew its attempt, seldom enough that most calls only read (R3, R10)."""
    found = await run_behind(work, command.token_sha256)
    if found is None:
        discussion = await discussion_behind(work, command.token_sha256)
        return UNKNOWN if discussion is None else token_of_discussion(discussion, work.now, work.policy)
    attempt, project = found
    if attempt.wants_renewal(work.now, work.policy):
        await lock_any_task(work, attempt.task_id)
        await work.session.refresh(attempt)
        attempt.show_life(work.now, work.policy)
    if attempt.token_sha256 != command.token_sha256:
        return UNKNOWN
    return token_of_attempt(attempt, project, work.now, work.policy)


@handles(RenewRuns)
async def renew_runs(command: RenewRuns, caller: Caller, work: Work) -> RenewedRuns:
    """Renew the attempts of a device that waits for updates (R3)."""
    tasks = await lock_tasks_run_by(work, command.device_id)
    renewed = [task for task in tasks if task.attempt is not None and task.attempt.show_life(work.now, work.policy)]
    return RenewedRuns(renewed=len(renewed))


@handles(DescribeRun)
async def read_run(query: DescribeRun, caller: Caller, work: Work) -> RunFacts:
    """Find the attempt that a report belongs to (R38, R39)."""
    task = await any_task(work, query.task_id)
    return describe_run(query, task, await attempts_at(work, query.task_id), caller)


@handles(EndRun)
async def end_run(command: EndRun, caller: Caller, work: Work) -> EndedRun:
    """End an attempt whose run is reported to be over; the task is requested again, or fails (R39)."""
    task = await lock_any_task(work, command.task_id)
    if task is None:
        raise NotFound("Name the task of the run that was reported.", field="task_id")
    attempt = task.attempt
    if attempt is not None and attempt.attempt_id == command.attempt_id:
        task.give_back(attempt, "reported", caller.subject, work.now, work.policy)
        await tell_given_back(work, [(task, attempt)])
    return EndedRun(task=task.view(caller.subject))
