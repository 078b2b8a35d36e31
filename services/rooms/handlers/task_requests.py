"""Task requests: stored once under the id that tasks minted, whoever tells of them first."""

from __future__ import annotations

from libs.bus import Work, consumes, handles
from libs.contracts.caller import Caller
from libs.contracts.errors import NotFound
from libs.contracts.rooms import (
    CollectHandoffFacts,
    HandoffFacts,
    MemoryEntry,
    Message,
    StoredMessage,
    StoreTaskRequest,
)
from libs.contracts.tasks import TaskAllowed, TaskRequested
from services.rooms.domain import TaskRequest, no_such_project
from services.rooms.handlers.entries import tell
from services.rooms.store.memory import find_entries
from services.rooms.store.messages import find_message, find_messages
from services.rooms.store.projects import read_roster
from services.rooms.store.rooms import lock_rooms, store_messages


@handles(CollectHandoffFacts)
async def collect_handoff_facts(query: CollectHandoffFacts, caller: Caller, work: Work) -> HandoffFacts:
    """Answer what tasks must know before the caller hands a task to another member."""
    roster = await read_roster(work, query.project)
    requester, assignee = roster.own_member(caller), roster.assignee(query.assignee)
    return HandoffFacts(
        project_owner=roster.project.owner,
        requester=requester.view(),
        assignee=assignee.view(),
        messages=await attached_messages(query, work),
        memory=await attached_memory(query, work),
    )


async def attached_messages(query: CollectHandoffFacts, work: Work) -> list[Message]:
    """The messages that the packet names, each once and in that order; refuses those that are not in the room."""
    stored = await find_messages(work, query.project, query.message_ids)
    for index, message_id in enumerate(query.message_ids):
        if message_id not in stored:
            field = f"context.message_ids[{index}]"
            raise NotFound("Name messages of this room, by the ids that read_room gives.", field=field)
    return [stored[message_id].view() for message_id in dict.fromkeys(query.message_ids)]


async def attached_memory(query: CollectHandoffFacts, work: Work) -> list[MemoryEntry]:
    """The memory entries that the packet names, each once and in that order; refuses those that do not exist."""
    stored = await find_entries(work, query.project, query.memory_keys)
    for index, key in enumerate(query.memory_keys):
        if key not in stored:
            field = f"context.memory_keys[{index}]"
            raise NotFound("Name entries of this project's memory, by the keys in get_project_context.", field=field)
    return [stored[key].view() for key in dict.fromkeys(query.memory_keys)]


@handles(StoreTaskRequest)
async def store_task_request(command: StoreTaskRequest, caller: Caller, work: Work) -> StoredMessage:
    """Store the Task request of a new task and tell its assignee."""
    return StoredMessage(message=await store_once(command, work))


@consumes(TaskRequested, by="rooms")
async def follow_task_request(event: TaskRequested, work: Work) -> None:
    """Do the same when the gateway did not get to it (R42)."""
    await store_once(event, work)


@consumes(TaskAllowed, by="rooms")
async def release_task_request(event: TaskAllowed, work: Work) -> None:
    """Tell the assignee of a Task request that was held back until its owner allowed the task (R2)."""
    await store_once(event, work)
    stored = await find_message(work, event.message_id)
    if stored is not None and stored.release(work.now):
        work.deliver(event.assignee, "task_request", stored.project, {"message": stored.view().wire()})


async def store_once(request: TaskRequest, work: Work) -> Message:
    """The Task request as it is in the room: with the room locked, the second to come finds what the first stored."""
    room = (await lock_rooms(work, [request.project])).get(request.project)
    if room is None:
        raise no_such_project()
    stored = await find_message(work, request.message_id)
    if stored is not None:
        return stored.view()
    new = room.request_task(request, work.now)
    await store_messages(work, [room], [new])
    tell(new, work)
    return new.view
