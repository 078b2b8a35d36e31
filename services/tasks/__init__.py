"""Tasks: what one agent asks of another, who works on it, and what came of it.

Answers: Handoff, PreviewPacket, AllowTask, RefuseTask, ReadInbox, AcceptTask, MakeCheckpoint, ReturnResult,
    AcceptResult, RejectResult, CancelTask, RequestClarification, AnswerClarification, RequestCapability, RequestStep,
    DecideRequest, ListRequests, ApprovedCapabilities, ClaimTask, ClaimDiscussion, EndDiscussion, ResolveRunToken,
    RenewRuns, DescribeRun, EndRun, ReadTasksMailbox.
Follows: DeviceChanged, AgentRemoved, PersonRemoved (directory).
Announces: TaskRequested, TaskAllowed, AttemptStarted, AttemptEnded, MemoryProposed.
Keeps: tasks with their packets as they were at handoff, attempts and how they ended, with the SHA-256 of their runs'
    tokens, checkpoints, results with evidence and reviews, what agents asked of requesters and owners with the
    answers, discussions, the links of devices, and the mailboxes that tell agents and devices of all this.
By the clock: an attempt that nobody renewed lapses, and its task is requested again, or fails; a task that was due
    before anybody took it expires.
"""
