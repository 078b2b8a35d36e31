"""Tasks: what one agent asks of another, who works on it, and what came of it.

Answers: Handoff, AllowTask, RefuseTask, ReadInbox, AcceptTask, MakeCheckpoint, ReturnResult, AcceptResult,
    RejectResult, CancelTask, ClaimTask, ClaimDiscussion, EndDiscussion, ResolveRunToken, RenewRuns, DescribeRun,
    EndRun, ReadTasksMailbox.
Follows: DeviceChanged, AgentRemoved (directory).
Announces: TaskRequested, TaskAllowed, AttemptStarted, AttemptEnded.
Keeps: tasks with their packets as they were at handoff, attempts and how they ended, with the SHA-256 of their runs'
    tokens, checkpoints, results with evidence and reviews, discussions, the links of devices, and the mailboxes that
    tell agents and devices of all this.
By the clock: an attempt that nobody renewed lapses, and its task is requested again, or fails; a task that was due
    before anybody took it expires.
"""
