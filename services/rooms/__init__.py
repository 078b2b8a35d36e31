"""Rooms: where you belong, and what is said there.

Answers: CreateProject, AddMember, RemoveMember, GetProject, ListProjects, PostMessage, ReadMessages,
    FindMessage, RedactMessage, CollectHandoffFacts, StoreTaskRequest, WriteMemory, DeleteMemory, MemoryHistory,
    ExportMemory, ListProposals, DecideProposal, ReadRoomsMailbox.
Follows: TaskRequested, TaskAllowed, MemoryProposed (tasks), AgentChanged, AgentRemoved, PersonRemoved,
    DeviceChanged (directory).
Announces: nothing.
Keeps: projects, members past and present, messages, memory entries and their former values, proposals for memory,
    what devices are linked to, and the mailboxes that tell agents of mentions, Task requests and changed memory, and
    devices of discussions.
"""
