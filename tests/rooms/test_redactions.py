"""Redaction: the body goes, author and time stay, and nobody is told of it any more."""

from __future__ import annotations

import pytest

from libs.contracts.errors import Forbidden, NotFound, Problem
from libs.contracts.mailbox import ReadRoomsMailbox
from libs.contracts.rooms import FindMessage, Message, RedactMessage, StoreTaskRequest
from libs.contracts.tasks import TaskAllowed
from tests.harness import Hub, until
from tests.rooms.given import announce, fresh, mailbox, messages_in, post, project_of, whole_mailbox
from tests.rooms.test_devices import linked_device

SERVICES = ("rooms",)
CREW = ("maya", "maya/codex", "jonas", "jonas/claude", "lea", "lea/aider")


async def redact(hub: Hub, message: Message, by: str, reason: str | None = None) -> Message:
    command = RedactMessage(project=message.project, message_id=message.id, reason=reason)
    return (await hub.ask(command, by)).message


async def test_the_body_is_replaced_and_author_and_time_stay(hub: Hub) -> None:
    project = await project_of(hub, *CREW)
    message = await post(hub, project, "jonas/claude", "@lea/aider the password is tulip")
    hub.clock.advance(seconds=5)
    redacted = await redact(hub, message, "jonas", "a password of @maya")
    assert redacted.body == "[Redacted by jonas: a password of @maya]"
    assert redacted == message.model_copy(update={"body": redacted.body, "mentions": []})
    assert await messages_in(hub, project, "lea/aider") == [redacted]
    found = await hub.ask(FindMessage(project=project, message_id=message.id), "lea")
    assert found.mentioned == []


async def test_mentions_are_withdrawn_from_every_mailbox_and_others_stay(hub: Hub) -> None:
    project = await project_of(hub, *CREW)
    device = await linked_device(hub, project)
    await post(hub, project, "lea", "@all first")
    message = await post(hub, project, "jonas", "@all tulip")
    await post(hub, project, "lea", "@all last")
    await redact(hub, message, "jonas")
    for recipient in ("maya/codex", "lea/aider", device):
        entries = await mailbox(hub, recipient, project)
        assert [entry.body["message"]["body"] for entry in entries] == ["@all first", "@all last"]
    for recipient in ("maya/codex", device):
        assert "tulip" not in str(await whole_mailbox(hub, recipient))


async def test_a_mailbox_goes_on_behind_what_was_withdrawn(hub: Hub) -> None:
    """R19: its number is not given out again, and a cursor may stand on it."""
    project = await project_of(hub, *CREW)
    message = await post(hub, project, "jonas", "@lea/aider tulip")
    [entry] = await mailbox(hub, "lea/aider", project)
    await redact(hub, message, "jonas")
    query = ReadRoomsMailbox(recipient="lea/aider", tool="test", after=entry.number - 1)
    page = await hub.ask(query)
    assert (page.entries, page.position, page.more, page.resync) == ([], entry.number, False, False)
    await post(hub, project, "jonas", "@lea/aider again")
    page = await hub.ask(query.model_copy(update={"after": page.position}))
    assert [one.number for one in page.entries] == [entry.number + 1]


@pytest.mark.parametrize(("author", "who"), [("jonas", "jonas"), ("jonas/claude", "jonas"), ("jonas/claude", "maya")])
async def test_the_author_its_owner_and_the_projects_owner_redact(hub: Hub, author: str, who: str) -> None:
    project = await project_of(hub, *CREW)
    message = await post(hub, project, author, "tulip")
    assert (await redact(hub, message, who)).body == f"[Redacted by {who}]"


@pytest.mark.parametrize(
    ("who", "refusal"),
    [("lea", Forbidden), ("jonas/claude", Forbidden), ("operator", Forbidden), ("eve", NotFound)],
)
async def test_nobody_else_redacts(hub: Hub, who: str, refusal: type[Problem]) -> None:
    project = await project_of(hub, *CREW)
    message = await post(hub, project, "jonas/claude", "tulip")
    with pytest.raises(refusal):
        await redact(hub, message, who)
    assert await messages_in(hub, project, "maya") == [message]


async def test_a_message_of_another_room_is_not_found(hub: Hub) -> None:
    here, there = await project_of(hub, *CREW), await project_of(hub, *CREW)
    message = await post(hub, there, "maya", "tulip")
    for message_id in (message.id, "msg_none"):
        with pytest.raises(NotFound) as refusal:
            await hub.ask(RedactMessage(project=here, message_id=message_id), "maya")
        assert refusal.value.data.field == "message_id"


async def test_the_first_redaction_stands(hub: Hub) -> None:
    project = await project_of(hub, *CREW)
    message = await post(hub, project, "jonas", "tulip")
    first = await redact(hub, message, "jonas", "a mistake")
    assert await redact(hub, message, "maya", "mine") == first


async def test_a_redacted_task_request_is_told_without_its_body(hub: Hub) -> None:
    """R2: one that was held is told when its owner allows the task, as it is then."""
    project = await project_of(hub, *CREW)
    told, held = request(project), request(project)
    stored = [(await hub.ask(StoreTaskRequest(**told))).message]
    stored.append((await hub.ask(StoreTaskRequest(**held, held=True))).message)
    for message in stored:
        await redact(hub, message, "maya")
    assert await mailbox(hub, "jonas/claude", project) == []
    await announce(hub, TaskAllowed(**held))
    [entry] = await until(lambda: mailbox(hub, "jonas/claude", project))
    assert entry.body["message"]["body"] == "[Redacted by maya]"
    await redact(hub, stored[1], "maya")


def request(project: str) -> dict[str, str]:
    ids = {"message_id": fresh("msg_"), "task_id": fresh("task_")}
    return {"project": project, "requester": "maya/codex", "assignee": "jonas/claude", "body": "tulip", **ids}
