"""Posting messages (R18, R19)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from libs.bus import Asked
from libs.contracts.errors import Forbidden, IdempotencyConflict, InvalidInput, NotFound, Problem
from libs.contracts.rooms import (
    AgentAuthor,
    NotNotified,
    PersonAuthor,
    PostedMessage,
    PostMessage,
    ReadMessages,
    RemoveMember,
    StoreTaskRequest,
)
from services.rooms.handlers.posts import post_messages
from tests.harness import Hub, caller
from tests.rooms.given import fresh, mailbox, messages_in, post, project_of, whole_mailbox

SERVICES = ("rooms",)
CREW = ("maya", "maya/codex", "jonas", "jonas/claude")


async def crew(hub: Hub) -> str:
    return await project_of(hub, *CREW)


async def refusal_of(hub: Hub, project: str, author: str, **said: Any) -> Problem:
    with pytest.raises(Problem) as refusal:
        await post(hub, project, author, "hello @jonas/claude", **said)
    assert await mailbox(hub, "jonas/claude", project) == []
    return refusal.value


async def test_a_message_is_stored_and_told_to_those_it_mentions(hub: Hub) -> None:
    project = await crew(hub)
    command = PostMessage(project=project, body="@jonas/claude and @jonas: `@maya`", mentions=["maya/codex", "eve"])
    posted = await hub.ask(command, "maya/codex")
    assert posted.message.author == AgentAuthor(agent_id="maya/codex", owner="maya", display_name="Maya/Codex")
    assert posted.message.mentions == posted.notified == ["jonas/claude", "jonas"]
    assert posted.not_notified == [
        NotNotified(address="maya/codex", reason="author"),
        NotNotified(address="eve", reason="not_a_member"),
    ]
    assert posted.message.provenance == "agent_generated"
    assert posted.message.created_at == hub.clock.now
    assert await messages_in(hub, project, "jonas/claude") == [posted.message]
    [entry] = await mailbox(hub, "jonas/claude", project)
    assert (entry.kind, entry.body) == ("mention", {"message": posted.message.wire()})
    assert await mailbox(hub, "jonas", project) == await mailbox(hub, "maya/codex", project) == []


async def test_a_person_tells_everyone(hub: Hub) -> None:
    project = await crew(hub)
    posted = await hub.ask(PostMessage(project=project, body="@all: lunch"), "jonas")
    assert posted.message.author == PersonAuthor(handle="jonas", display_name="Jonas")
    assert posted.message.mentions == ["all"]
    assert posted.notified == ["jonas/claude", "maya", "maya/codex"]
    assert posted.message.provenance is None
    for agent in ("maya/codex", "jonas/claude"):
        assert len(await mailbox(hub, agent, project)) == 1


async def test_three_agents_that_mention_each_other_see_their_own_mentions_only(hub: Hub) -> None:
    trio = ["maya/codex", "maya/claude", "jonas/claude"]
    project = await project_of(hub, "maya", "jonas", *trio)
    pairs = [(author, other) for author in trio for other in trio if author != other]
    await asyncio.gather(*(post(hub, project, author, f"@{other} look") for author, other in pairs))
    for agent in trio:
        entries = await mailbox(hub, agent, project)
        assert {entry.body["message"]["author"]["agent_id"] for entry in entries} == set(trio) - {agent}
        assert all(entry.body["message"]["mentions"] == [agent] for entry in entries)
        assert len(entries) == 2


async def test_two_hundred_posts_at_once_are_numbered_without_gaps_and_told_once_in_order(hub: Hub) -> None:
    """R18, R19: numbers and entries follow the order of the commits."""
    projects = [await crew(hub) for _ in range(3)]
    bodies = [f"@jonas/claude number {number}" for number in range(200)]
    await asyncio.gather(*(post(hub, projects[n % 3], "maya/codex", body) for n, body in enumerate(bodies)))
    entries = [entry for entry in await whole_mailbox(hub, "jonas/claude") if entry.project in projects]
    numbers = [entry.number for entry in entries]
    assert numbers == list(range(numbers[0], numbers[0] + 200))
    for project in projects:
        stored = []
        while page := await messages_after(hub, project, len(stored)):
            stored += page
        told = [entry.body["message"]["id"] for entry in entries if entry.project == project]
        assert [message["id"] for message in stored] == told
    assert sorted(entry.body["message"]["body"] for entry in entries) == sorted(bodies)


async def messages_after(hub: Hub, project: str, number: int) -> list[dict[str, Any]]:
    """What follows a number: the next page begins at number + 1, so a gap would be seen as a missing message."""
    page = await hub.ask(ReadMessages(project=project, after_number=number, limit=30), "maya")
    assert page.last_number == number + len(page.messages)
    return [message.wire() for message in page.messages]


async def test_refusals_of_a_batch_leave_the_other_posts_and_the_numbers_alone(hub: Hub) -> None:
    project = await crew(hub)
    said = [("maya", "one"), ("eve", "two"), ("maya/codex", "three"), ("jonas", "four")]
    posts = [Asked(PostMessage(project=project, body=body), caller(author)) for author, body in said]
    posts.append(Asked(PostMessage(project=fresh(), body="five"), caller("maya")))
    posts.append(Asked(PostMessage(project=project, body="six", in_reply_to="msg_none"), caller("maya")))
    async with hub.services["rooms"].bus.executor.begin() as work:
        answers = await post_messages(posts, work)
    assert [type(answer) for answer in answers] == [
        PostedMessage,
        NotFound,
        PostedMessage,
        PostedMessage,
        NotFound,
        NotFound,
    ]
    assert [message["body"] for message in await messages_after(hub, project, 0)] == ["one", "three", "four"]


async def test_a_repeated_post_with_the_same_key_is_one_message(hub: Hub) -> None:
    """R40."""
    project = await crew(hub)
    command = PostMessage(project=project, body="@jonas/claude once")
    first = await hub.ask(command, "maya/codex", key="k1", argument_hash="a")
    assert await hub.ask(command, "maya/codex", key="k1", argument_hash="a") == first
    assert len(await mailbox(hub, "jonas/claude", project)) == 1
    assert await messages_in(hub, project, "maya") == [first.message]
    with pytest.raises(IdempotencyConflict):
        await hub.ask(command, "maya/codex", key="k1", argument_hash="b")


@pytest.mark.parametrize("who", ["eve", "maya/claude", "operator", "system"])
async def test_only_members_post(hub: Hub, who: str) -> None:
    project = await crew(hub)
    refusal = await refusal_of(hub, project, who)
    assert refusal.data == (await refusal_of(hub, fresh(), who)).data
    assert isinstance(refusal, NotFound)


async def test_who_left_posts_no_more_and_is_not_notified(hub: Hub) -> None:
    project = await crew(hub)
    await hub.ask(RemoveMember(project=project, address="jonas"))
    assert isinstance(await refusal_of(hub, project, "jonas/claude"), NotFound)
    posted = await hub.ask(PostMessage(project=project, body="@jonas?", mentions=["jonas/claude"]), "maya")
    assert (posted.message.mentions, posted.notified) == ([], [])
    assert posted.not_notified == [NotNotified(address="jonas/claude", reason="not_a_member")]


async def test_a_reply_answers_a_message_of_the_same_room(hub: Hub) -> None:
    project = await crew(hub)
    first = await post(hub, project, "maya", "first")
    assert (await post(hub, project, "jonas/claude", "second", in_reply_to=first.id)).in_reply_to == first.id
    elsewhere = await post(hub, await crew(hub), "maya", "elsewhere")
    for unknown in (elsewhere.id, "msg_none"):
        refusal = await refusal_of(hub, project, "maya", in_reply_to=unknown)
        assert (refusal.code, refusal.data.field) == ("not_found", "in_reply_to")


async def test_a_message_is_about_a_task_whose_request_is_in_the_room(hub: Hub) -> None:
    project, other, task = await crew(hub), await crew(hub), fresh("task_")
    said = {"requester": "jonas", "assignee": "maya/codex", "body": "Fix it"}
    await hub.ask(StoreTaskRequest(project=project, message_id=fresh("msg_"), task_id=task, **said))
    assert (await post(hub, project, "maya/codex", "on it", task_id=task)).task_id == task
    for room, unknown in ((other, task), (project, "task_none")):
        refusal = await refusal_of(hub, room, "maya", task_id=unknown)
        assert (refusal.code, refusal.data.field) == ("not_found", "task_id")


@pytest.mark.parametrize(
    ("author", "asked", "stored"),
    [
        ("maya/codex", None, "agent_generated"),
        ("maya/codex", "agent_generated", "agent_generated"),
        ("maya", None, None),
        ("maya", "owner_instruction", "owner_instruction"),
        ("maya", "owner_approved", "owner_approved"),
    ],
)
async def test_a_message_says_where_it_comes_from(hub: Hub, author: str, asked: str | None, stored: str | None) -> None:
    """R17."""
    said = {"provenance": asked} if asked else {}
    assert (await post(hub, await crew(hub), author, "so", **said)).provenance == stored


@pytest.mark.parametrize(
    ("author", "asked", "kind"),
    [
        ("maya/codex", "owner_instruction", Forbidden),
        ("maya/codex", "owner_approved", Forbidden),
        ("maya", "from_approved_context", InvalidInput),
        ("maya", "agent_generated", InvalidInput),
    ],
)
async def test_a_false_provenance_is_refused(hub: Hub, author: str, asked: str, kind: type[Problem]) -> None:
    """R17."""
    refusal = await refusal_of(hub, await crew(hub), author, provenance=asked)
    assert (type(refusal), refusal.data.field) == (kind, "provenance")


async def test_more_than_twenty_mentions_are_refused_and_nothing_is_stored(hub: Hub) -> None:
    agents = [f"maya/a{number}" for number in range(21)]
    project = await project_of(hub, "maya", *agents)
    with pytest.raises(InvalidInput) as refusal:
        await post(hub, project, "maya", " ".join(f"@{agent}" for agent in agents))
    assert refusal.value.data.field == "mentions"
    assert await messages_in(hub, project, "maya") == []
    assert len((await post(hub, project, "maya", " ".join(f"@{agent}" for agent in agents[1:]))).mentions) == 20
