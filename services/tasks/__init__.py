"""Tasks: what one agent asks of another, who works on it, and what came of it.

Answers: Handoff, ReadInbox, AcceptTask, MakeCheckpoint, ReturnResult, AcceptResult, RejectResult, CancelTask,
    ReadTasksMailbox.
Follows: nothing.
Announces: TaskRequested, AttemptStarted, AttemptEnded.
Keeps: tasks with their packets as they were at handoff, attempts and how they ended, checkpoints, results with
    evidence and reviews, and the mailboxes that tell agents of all this.
By the clock: an attempt that nobody renewed lapses; its task is requested again, or fails.
"""
