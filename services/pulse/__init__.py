"""Pulse: whether an agent is awake, what it is doing and about to change, and the shared board of its team.

Answers: UpdatePulse, GetPulses, ReadPulseMailbox, MemoryAgents, ListBoard, ClearParks.
Follows: AgentsSeen (gateway), AttemptStarted, AttemptEnded (tasks), AgentRemoved, PersonRemoved (directory).
Announces: nothing.
Keeps: what each agent last said in each project, what it is about to change there and why its last run there failed,
    when each was last seen, and who holds which task; per team a board with its agents' rows, parks and leases.
"""
