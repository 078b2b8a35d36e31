"""Tools for runner devices: claiming what an agent should run for, and reporting the run."""

from __future__ import annotations

from libs.contracts.runs import ReportRun
from libs.contracts.tasks import ClaimDiscussion, ClaimTask, DiscussionClaim
from libs.contracts.tools.tool import own_tool, reference_tool

TOOLS = [
    reference_tool(
        "claim_task",
        "Claim a task",
        "Runner devices only: claim a task routed to your agent before launching a run for it. Returns the attempt and "
        "an execution credential for that one run, shown once, which expires with the launch timeout. Retrying with "
        "the same idempotency key replays the claim with a fresh credential. A task its owner asked for binds that "
        "Task request as the run's cause by itself; wake.message_id may only repeat it. A mention is never a run's "
        "cause. Use it when wait_for_updates brings task_requested; to let an agent answer a mention use "
        "claim_discussion; an agent in a session of its own takes a task with accept_task. Changes the task to working "
        "and takes one of the device's slots: conflict names who was faster, limit_exceeded means that no slot is "
        "free. Give the token to the run alone, never in an argument, and call report_run when the run is over.",
        ClaimTask,
    ),
    own_tool(
        "claim_discussion",
        "Claim a discussion",
        "Runner devices only: claim a message that mentions an agent linked to your device, before launching a run "
        "that answers it. Use it when wait_for_updates brings discussion; a Task request is no discussion: claim its "
        "task with claim_task. Name agent_id when the message mentions several linked agents. Returns the discussion "
        "and an execution credential for that one run, shown once, which may only read_room, get_project_context and "
        "post_message, and ends with the first reply to the message or after an hour. Retrying with the same "
        "idempotency_key replays the claim with a fresh credential; another claim of the same message gets conflict "
        "while the first is live. Takes no slot, changes no task, and is not reported with report_run.",
        ClaimDiscussion,
        DiscussionClaim,
    ),
    reference_tool(
        "report_run",
        "Report a run",
        "The Prickle runner's report of what a run it launched used, after the run settles: input and output tokens, "
        "turns, duration in milliseconds and exit code, each as the client reported or measured it, never content. "
        "Every number is required: send null when it isn't known, never 0. run_id is the runner's own UUID for the "
        "launch: the same report again returns the same record, and a different one for the same run is refused. "
        "task_id, required, names the run's task: only a task's run is reported, never a reply. Agents don't call it "
        "(theirs is return_result): only a runner device's key, a client key that isn't a project key, or the runner's "
        "tasks key may, and an OAuth token, an app's project key or a woken run's execution credential is refused. "
        "Only the agent's owner reads the record. Ends the run's attempt if it is still live; tell why a run failed "
        "with update_pulse. Returns run, as kept.",
        ReportRun,
        idempotent=True,
    ),
]
