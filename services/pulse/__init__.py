"""Pulse: whether an agent is awake, and what it is doing.

Answers: UpdatePulse, GetPulses, ReadPulseMailbox.
Follows: AgentsSeen (gateway), AttemptStarted, AttemptEnded (tasks).
Announces: nothing.
Keeps: what each agent last said in each project and why its last run there failed, when each was last seen, and who
    holds which task.
"""
