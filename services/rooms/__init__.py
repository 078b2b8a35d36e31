"""Rooms: where you belong, and what is said there.

Answers: CreateProject, AddMember, RemoveMember, GetProject, ListProjects, PostMessage, ReadMessages,
    CollectHandoffFacts, StoreTaskRequest, WriteMemory, ReadRoomsMailbox.
Follows: TaskRequested, TaskAllowed (tasks), AgentRemoved (directory).
Announces: nothing.
Keeps: projects, members past and present, messages, memory entries and their former values, and the mailboxes
    that tell agents of mentions, Task requests and changed memory.
"""
