"""Posting messages: many at once, for this is what a hub does all day."""

from __future__ import annotations

from collections.abc import Sequence

from libs.bus import Asked, Work, handles_batch
from libs.contracts.errors import Problem
from libs.contracts.rooms import PostedMessage, PostMessage
from services.rooms.domain import NewMessage, Room, no_such_project
from services.rooms.handlers.entries import tell, tell_devices
from services.rooms.store.rooms import find_named, lock_rooms, store_messages


@handles_batch(PostMessage)
async def post_messages(posts: Sequence[Asked[PostMessage]], work: Work) -> list[PostedMessage | Problem]:
    """Store the posts of a batch in their order, each taken or refused for itself (R18, R19)."""
    commands = [post.command for post in posts]
    rooms = await lock_rooms(work, {command.project for command in commands})
    await find_named(work, rooms, commands)
    decisions = [decide(post, rooms.get(post.command.project), work) for post in posts]
    new = [decision for decision in decisions if isinstance(decision, NewMessage)]
    await store_messages(work, rooms.values(), new)
    for message in new:
        tell(message, work)
    await tell_devices(new, work)
    return [decision.answer() if isinstance(decision, NewMessage) else decision for decision in decisions]


def decide(post: Asked[PostMessage], room: Room | None, work: Work) -> NewMessage | Problem:
    """Take one post or refuse it; a refusal is its answer and touches no other post."""
    if room is None:
        return no_such_project()
    try:
        return room.post(post.command, post.caller, work.now, work.policy)
    except Problem as problem:
        return problem
