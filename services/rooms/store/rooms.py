"""Rooms, locked to store messages: few queries for many rooms, and no mapped objects, for this is the hot path."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from sqlalchemy import BindParameter, Select, bindparam, select

from libs.bus import Work
from libs.contracts.rooms import PostMessage
from services.rooms.domain import NewMessage, Parent, Room, RoomsTable

MESSAGES = RoomsTable.metadata.tables["message"]
MEMBERS = RoomsTable.metadata.tables["member"]
MEMORY = RoomsTable.metadata.tables["memoryentry"]
PROJECTS = RoomsTable.metadata.tables["project"]

ROOMS: BindParameter[list[str]] = bindparam("rooms", expanding=True)
NAMED: BindParameter[list[str]] = bindparam("named", expanding=True)
LOCK = (
    select(PROJECTS.c.slug, PROJECTS.c.last_number)
    .where(PROJECTS.c.slug.in_(ROOMS))
    .order_by(PROJECTS.c.slug)
    .with_for_update()
)
CURRENT_MEMBERS = select(MEMBERS.c.project, MEMBERS.c.address, MEMBERS.c.display_name).where(
    MEMBERS.c.project.in_(ROOMS), MEMBERS.c.removed_at.is_(None)
)
PARENTS = select(MESSAGES.c.project, MESSAGES.c.id, MESSAGES.c.author, MESSAGES.c.created_at, MESSAGES.c.chain).where(
    MESSAGES.c.project.in_(ROOMS), MESSAGES.c.id.in_(NAMED)
)
TASK_REQUESTS = select(MESSAGES.c.project, MESSAGES.c.task_id).where(
    MESSAGES.c.project.in_(ROOMS), MESSAGES.c.task_id.in_(NAMED), MESSAGES.c.is_task_request
)
MEMORY_KEYS = select(MEMORY.c.project, MEMORY.c.key).where(MEMORY.c.project.in_(ROOMS), MEMORY.c.key.in_(NAMED))
COUNT = PROJECTS.update().where(PROJECTS.c.slug == bindparam("room")).values(last_number=bindparam("newest"))
INSERT = MESSAGES.insert()


async def lock_rooms(work: Work, slugs: Collection[str]) -> dict[str, Room]:
    """Rooms by project with their members, locked in the order of their slugs."""
    locked = await work.session.execute(LOCK, {"rooms": list(slugs)})
    rooms = {slug: Room(slug, last_number) for slug, last_number in locked}
    for project, address, display_name in await work.session.execute(CURRENT_MEMBERS, {"rooms": list(rooms)}):
        rooms[project].members[address] = display_name
    return rooms


async def find_named(work: Work, rooms: dict[str, Room], posts: Sequence[PostMessage]) -> None:
    """Note in each room which of the messages, tasks and memory entries that posts name are there."""

    async def found(query: Select[Any], named: set[str]) -> Iterable[Any]:
        return await work.session.execute(query, {"rooms": list(rooms), "named": list(named)}) if named else ()

    for project, message_id, *parent in await found(PARENTS, {post.in_reply_to for post in posts if post.in_reply_to}):
        rooms[project].messages[message_id] = Parent(*parent)
    for project, task_id in await found(TASK_REQUESTS, {post.task_id for post in posts if post.task_id}):
        rooms[project].task_requests.add(task_id)
    for project, key in await found(MEMORY_KEYS, {key for post in posts for key in post.memory_keys or ()}):
        rooms[project].memory.add(key)


async def store_messages(work: Work, rooms: Iterable[Room], messages: Sequence[NewMessage]) -> None:
    """Insert messages, and count their rooms up to the newest (R18, R19)."""
    if not messages:
        return
    counts = [{"room": room.project, "newest": room.last_number} for room in rooms]
    await work.session.execute(COUNT, counts)
    await work.session.execute(INSERT, [message.row() for message in messages])
