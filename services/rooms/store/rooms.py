"""Rooms, locked to store messages: few queries for many rooms, and no mapped objects, for this is the hot path."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from sqlalchemy import bindparam
from sqlmodel import col, select

from libs.bus import Work
from libs.contracts.rooms import PostMessage
from services.rooms.domain import Member, Message, NewMessage, Project, Room, RoomsTable

MESSAGES = RoomsTable.metadata.tables["message"]
PROJECTS = RoomsTable.metadata.tables["project"]
COUNT = PROJECTS.update().where(PROJECTS.c.slug == bindparam("room")).values(last_number=bindparam("newest"))


async def lock_rooms(work: Work, slugs: Collection[str]) -> dict[str, Room]:
    """Rooms by project with their members, locked in the order of their slugs."""
    query = select(Project.slug, Project.last_number).where(col(Project.slug).in_(slugs))
    locked = await work.session.exec(query.order_by(Project.slug).with_for_update())
    rooms = {slug: Room(slug, last_number) for slug, last_number in locked}
    members = select(Member.project, Member.address, Member.display_name)
    current = members.where(col(Member.project).in_(rooms), col(Member.removed_at).is_(None))
    for project, address, display_name in await work.session.exec(current):
        rooms[project].members[address] = display_name
    return rooms


async def find_named(work: Work, rooms: dict[str, Room], posts: Sequence[PostMessage]) -> None:
    """Note in each room which of the messages and tasks that posts name are there."""
    if parents := {post.in_reply_to for post in posts if post.in_reply_to}:
        query = select(Message.project, Message.id).where(col(Message.id).in_(parents))
        for project, message_id in await work.session.exec(query.where(col(Message.project).in_(rooms))):
            rooms[project].messages.add(message_id)
    if tasks := {post.task_id for post in posts if post.task_id}:
        requests = select(Message.project, Message.task_id).where(col(Message.is_task_request).is_(True))
        here = requests.where(col(Message.task_id).in_(tasks), col(Message.project).in_(rooms))
        for project, task_id in await work.session.exec(here):
            rooms[project].task_requests.add(str(task_id))


async def store_messages(work: Work, rooms: Iterable[Room], messages: Sequence[NewMessage]) -> None:
    """Insert messages, and count their rooms up to the newest (R18, R19)."""
    if not messages:
        return
    counts = [{"room": room.project, "newest": room.last_number} for room in rooms]
    await work.session.execute(COUNT, counts)
    await work.session.execute(MESSAGES.insert(), [message.row() for message in messages])
