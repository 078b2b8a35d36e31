"""Run tokens: what an execution credential is good for (R10)."""

from __future__ import annotations

from datetime import datetime, timedelta

from libs.contracts.caller import Caller, Run
from libs.contracts.policy import Policy
from libs.contracts.tasks import RunToken
from services.tasks.domain.attempts import Attempt
from services.tasks.domain.discussions import Discussion

UNKNOWN = RunToken(caller=None)


def token_of_attempt(attempt: Attempt, project: str, now: datetime, policy: Policy) -> RunToken:
    """The token of a task's run; for ten minutes after its result that may be repeated."""
    run = Run(project=project, attempt_id=attempt.attempt_id, task_id=attempt.task_id)
    token = _token(run, attempt.attempt_id, attempt, now, policy)
    returned = attempt.ended_at if attempt.ending == "returned" else None
    repeatable = returned is not None and now <= returned + timedelta(seconds=policy.repeat_result_seconds)
    return token.model_copy(update={"may_repeat_result": repeatable})


def token_of_discussion(discussion: Discussion, now: datetime, policy: Policy) -> RunToken:
    """The token of a discussion's run."""
    about = {"discussion_id": discussion.discussion_id, "message_id": discussion.message_id}
    run = Run(project=discussion.project, **about)
    return _token(run, discussion.discussion_id, discussion, now, policy)


def _token(run: Run, credential_id: str, held: Attempt | Discussion, now: datetime, policy: Policy) -> RunToken:
    ended_at = held.ended_at or held.expires_at
    if ended_at is None or ended_at + timedelta(seconds=policy.ended_token_seconds) <= now:
        return UNKNOWN
    who = {"subject": held.agent_id, "credential_id": credential_id, "project": run.project}
    caller = Caller(kind="run", run=run, **who)
    return RunToken(caller=caller, expires_at=held.expires_at, ended=held.why_ended(now))
