"""What the tests of rooms start from."""

from __future__ import annotations

from itertools import count
from uuid import uuid4

from libs.bus import streams
from libs.bus.envelope import FIELD, Happening
from libs.contracts.base import Event
from libs.contracts.mailbox import Entry, ReadRoomsMailbox
from libs.contracts.rooms import AddMember, CreateProject, Message, PostMessage, ProjectRoom, ReadMessages
from tests.harness import Hub

numbers = count(1)


def fresh(word: str = "project") -> str:
    """A slug that no other test uses."""
    return f"{word}{next(numbers)}-{uuid4().hex[:8]}"


def creation(slug: str, owner: str, **changes: str) -> CreateProject:
    """The command that creates a project of team `acme`."""
    said = {"team": "acme", "name": "Website", "description": "The new one.", "owner_display_name": owner.title()}
    return CreateProject(**{"slug": slug, "owner": owner, **said, **changes})


def addition(project: str, address: str, **changes: str) -> AddMember:
    """The command that adds somebody of team `acme`."""
    said = {"project": project, "address": address, "display_name": address.title(), "team": "acme"}
    return AddMember(**said | changes)


async def project_of(hub: Hub, owner: str, *others: str) -> str:
    """A new project of `owner` with these members, who joined one after the other; its slug."""
    room = await hub.ask(creation(fresh(), owner))
    for address in others:
        hub.clock.advance(seconds=1)
        await hub.ask(addition(room.project.slug, address))
    return room.project.slug


async def post(hub: Hub, project: str, author: str, body: str, **said: object) -> Message:
    """A message posted by a member."""
    posted = await hub.ask(PostMessage.model_validate({"project": project, "body": body, **said}), author)
    return posted.message


async def messages_in(hub: Hub, project: str, reader: str) -> list[Message]:
    """Every message of a small room."""
    return (await hub.ask(ReadMessages(project=project, limit=100), reader)).messages


async def mailbox(hub: Hub, recipient: str, project: str) -> list[Entry]:
    """The entries that one project put into a mailbox."""
    return [entry for entry in await whole_mailbox(hub, recipient) if entry.project == project]


async def whole_mailbox(hub: Hub, recipient: str) -> list[Entry]:
    """All entries of a mailbox."""
    entries: list[Entry] = []
    more = True
    while more:
        after = entries[-1].number if entries else 0
        page = await hub.ask(ReadRoomsMailbox(recipient=recipient, tool="test", after=after, limit=500))
        entries, more = entries + page.entries, page.more
    return entries


def addresses(room: ProjectRoom) -> list[str]:
    """The members of a project, by address."""
    return [member.address for member in room.members]


async def announce(hub: Hub, event: Event) -> None:
    """Publish an event of another service."""
    data = await Happening(f"evt_{uuid4().hex}", event).encode()
    await hub.services["rooms"].bus.client.xadd(streams.events(event.source), {FIELD: data})
