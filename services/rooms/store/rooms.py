"""Rooms, locked to store messages: few queries for many rooms, and no mapped objects, for this is the hot path."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from sqlalchemy import bindparam, select

from libs.bus import Work
from libs.contracts.rooms import PostMessage
from services.rooms.domain import NewMessage, Room, RoomsTable

MESSAGES = RoomsTable.metadata.tables["message"]
MEMBERS = RoomsTable.metadata.tables["member"]
PROJECTS = RoomsTable.metadata.tables["project"]

LOCK = (
    select(PROJECTS.c.slug, PROJECTS.c.last_number)
    .where(PROJECTS.c.slug.in_(bindparam("slugs", expanding=True)))
    .order_by(PROJECTS.c.slug)
    .with_for_update()
)
CURRENT_MEMBERS = select(MEMBERS.c.project, MEMBERS.c.address, MEMBERS.c.display_name).where(
    MEMBERS.c.project.in_(bindparam("slugs", expanding=True)), MEMBERS.c.removed_at.is_(None)
)
COUNT = PROJECTS.update().where(PROJECTS.c.slug == bindparam("room")).values(last_number=bindparam("newest"))
INSERT = MESSAGES.insert()


async def lock_rooms(work: Work, slugs: Collection[str]) -> dict[str, Room]:
    """Rooms by project with their members, locked in the order of their slugs."""
    locked = await work.session.execute(LOCK, {"slugs": list(slugs)})
    rooms = {slug: Room(slug, last_number) for slug, last_number in locked}
    for project, address, display_name in await work.session.execute(CURRENT_MEMBERS, {"slugs": list(rooms)}):
        rooms[project].members[address] = display_name
    return rooms


async def find_named(work: Work, rooms: dict[str, Room], posts: Sequence[PostMessage]) -> None:
    """Note in each room which of the messages and tasks that posts name are there."""
    if parents := {post.in_reply_to for post in posts if post.in_reply_to}:
        here = select(MESSAGES.c.project, MESSAGES.c.id).where(MESSAGES.c.project.in_(rooms))
        for project, message_id in await work.session.execute(here.where(MESSAGES.c.id.in_(parents))):
            rooms[project].messages.add(message_id)
    if tasks := {post.task_id for post in posts if post.task_id}:
        requests = select(MESSAGES.c.project, MESSAGES.c.task_id).where(MESSAGES.c.is_task_request)
        here = requests.where(MESSAGES.c.task_id.in_(tasks), MESSAGES.c.project.in_(rooms))
        for project, task_id in await work.session.execute(here):
            rooms[project].task_requests.add(task_id)


async def store_messages(work: Work, rooms: Iterable[Room], messages: Sequence[NewMessage]) -> None:
    """Insert messages, and count their rooms up to the newest (R18, R19)."""
    if not messages:
        return
    counts = [{"room": room.project, "newest": room.last_number} for room in rooms]
    await work.session.execute(COUNT, counts)
    await work.session.execute(INSERT, [message.row() for message in messages])
