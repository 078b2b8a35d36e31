"""Rooms: where you belong, and what is said there.

Answers: CreateProject, AddMember, RemoveMember, GetProject, ListProjects, PostMessage, ReadMessages,
    FindMessage, CollectHandoffFacts, StoreTaskRequest, WriteMemory, ReadRoomsMailbox.
Follows: TaskRequested, TaskAllowed (tasks), AgentRemoved, DeviceChanged (directory).
Announces: nothing.
Keeps: projects, members past and present, messages, memory entries and their former values, what devices are
    linked to, and the mailboxes that tell agents of mentions, Task requests and changed memory, and devices of
    discussions.
"""
