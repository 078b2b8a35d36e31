"""Two replicas of rooms on one PostgreSQL database."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator

import pytest
from sqlalchemy import text

from libs.bus import Asked
from libs.bus.envelope import Order
from libs.bus.execution import Executor
from libs.contracts.base import Command
from libs.contracts.mailbox import MailboxPage, ReadRoomsMailbox
from libs.contracts.rooms import (
    DecidedProposal,
    DecideProposal,
    ListProposals,
    Message,
    MessagesPage,
    PostMessage,
    Proposals,
    ReadMessages,
    RedactMessage,
    StoredMessage,
    StoreTaskRequest,
)
from libs.contracts.tasks import MemoryProposal, MemoryProposed, TaskAllowed, TaskRequested
from libs.storage import new_id
from services.rooms.app import service
from services.rooms.handlers.posts import post_messages
from services.rooms.handlers.proposals import keep_proposals
from services.rooms.handlers.task_requests import follow_task_request, release_task_request
from tests.databases import Cluster
from tests.harness import caller
from tests.replicas import two_replicas
from tests.rooms.given import addition, creation

AGENTS = ("maya/codex", "maya/claude")


def order(command: Command[object], by: str) -> Order:
    return Order(new_id("cmd"), command, caller(by))


def hello(project: str, body: str = "@maya/claude hello") -> PostMessage:
    return PostMessage(project=project, body=body)


@pytest.fixture
async def replicas(postgres: Cluster) -> AsyncIterator[list[Executor]]:
    """Two replicas, and the projects `one` and `two` of maya and her agents."""
    async with two_replicas(service, postgres) as both:
        for slug in ("one", "two"):
            for command in (creation(slug, "maya"), *(addition(slug, agent) for agent in AGENTS)):
                assert not (await both[0].answer(order(command, "operator"))).problem
        yield both


async def room(replica: Executor, project: str) -> list[Message]:
    reply = await replica.answer(order(ReadMessages(project=project, limit=100), "maya"))
    return MessagesPage.model_validate_json(reply.answer).messages


async def mailbox(replica: Executor, recipient: str) -> MailboxPage:
    query = ReadRoomsMailbox(recipient=recipient, tool="test", after=0, limit=200)
    return MailboxPage.model_validate_json((await replica.answer(order(query, "system"))).answer)


async def waits_for_a_lock(replica: Executor) -> None:
    """Return once some transaction waits for another's lock."""
    waiting = text("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
    async with asyncio.timeout(10):
        while True:
            async with replica.database.read() as session:
                if (await session.execute(waiting)).scalar():
                    return
            await asyncio.sleep(0.02)


async def test_a_lower_number_never_commits_after_a_higher_one(replicas: list[Executor]) -> None:
    """R19: the second waits for the first, so nothing appears before a cursor that was given out."""
    first, second = replicas
    async with first.begin() as work:
        await post_messages([Asked(hello("one", "@maya/claude first"), caller("maya/codex"))], work)
        later = asyncio.create_task(second.answer(order(hello("one", "@maya/claude second"), "maya/codex")))
        await waits_for_a_lock(first)
        assert await room(second, "one") == []
        assert (await mailbox(second, "maya/claude")).position == 0
    assert not (await later).problem
    bodies = [message.body for message in await room(first, "one")]
    assert bodies == ["@maya/claude first", "@maya/claude second"]
    assert [entry.body["message"]["body"] for entry in (await mailbox(first, "maya/claude")).entries] == bodies


async def test_batches_over_the_same_rooms_do_not_deadlock_and_number_without_gaps(replicas: list[Executor]) -> None:
    """R18, R19: rooms are locked in the order of their slugs, and before the mailboxes."""
    batches = []
    for number in range(30):
        posts = [hello(project, f"@maya/claude {number}") for project in random.sample(["one", "two"], 2)]
        batches.append(replicas[number % 2].answer_batch([order(post, "maya/codex") for post in posts]))
    replies = await asyncio.gather(*batches)
    assert not [reply.problem for pair in replies for reply in pair if reply.problem]
    rooms = {project: [message.id for message in await room(replicas[0], project)] for project in ("one", "two")}
    page = await mailbox(replicas[1], "maya/claude")
    assert [entry.number for entry in page.entries] == list(range(1, 61))
    for project, ids in rooms.items():
        assert len(ids) == 30
        assert [entry.body["message"]["id"] for entry in page.entries if entry.project == project] == ids


async def test_command_and_event_racing_on_two_replicas_store_one_task_request(replicas: list[Executor]) -> None:
    for number in range(20):
        ids = {"message_id": f"msg_{number}", "task_id": f"task_{number}", "project": "one"}
        said = {**ids, "requester": "maya", "assignee": "maya/claude", "body": "Fix it"}
        answers = [one.answer(order(StoreTaskRequest(**said), "maya")) for one in replicas]
        *replies, _ = await asyncio.gather(*answers, follow(replicas[number % 2], TaskRequested(**said)))
        stored = [StoredMessage.model_validate_json(reply.answer) for reply in replies]
        assert stored[0] == stored[1]
    assert len(await room(replicas[0], "one")) == len((await mailbox(replicas[0], "maya/claude")).entries) == 20


async def follow(replica: Executor, event: TaskRequested) -> None:
    async with replica.begin() as work:
        await follow_task_request(event, work)


async def test_of_two_people_who_decide_at_once_one_wins(replicas: list[Executor]) -> None:
    """R17: whichever replica each is at."""
    assert not (await replicas[0].answer(order(addition("one", "jonas"), "operator"))).problem
    ids = {"project": "one", "task_id": "task_1", "result_id": "res_1", "agent_id": "maya/codex"}
    proposals = [MemoryProposal(key=f"key-{number}", value="tabs") for number in range(20)]
    async with replicas[0].begin() as work:
        await keep_proposals(MemoryProposed(**ids, proposals=proposals), work)
    listed = (await replicas[1].answer(order(ListProposals(project="one"), "maya"))).answer
    for proposal in Proposals.model_validate_json(listed).proposals:
        wanted = {"project": "one", "proposal_id": proposal.proposal_id}
        approval = order(DecideProposal(**wanted, decision="approve"), "maya")
        rejection = order(DecideProposal(**wanted, decision="reject"), "jonas")
        replies = await asyncio.gather(replicas[0].answer(approval), replicas[1].answer(rejection))
        [won] = [DecidedProposal.model_validate_json(reply.answer) for reply in replies if not reply.problem]
        [lost] = [reply.problem for reply in replies if reply.problem]
        assert (lost.code, lost.details) == ("conflict", {"holder": won.proposal.decided_by})
        assert (won.entry is None) == (won.proposal.decided_by == "jonas")


async def test_nobody_is_told_the_old_body_of_a_message_redacted_while_it_is_released(replicas: list[Executor]) -> None:
    """R2: the two wait for each other, in either order."""
    for number in range(20):
        said = {"message_id": f"msg_{number}", "task_id": f"task_{number}", "project": "one"}
        said |= {"requester": "maya", "assignee": "maya/claude", "body": "tulip"}
        assert not (await replicas[0].answer(order(StoreTaskRequest(**said, held=True), "maya"))).problem
        redaction = order(RedactMessage(project="one", message_id=f"msg_{number}"), "maya")
        released = release(replicas[number % 2], TaskAllowed(**said))
        reply, _ = await asyncio.gather(replicas[1].answer(redaction), released)
        assert not reply.problem
    bodies = [entry.body["message"]["body"] for entry in (await mailbox(replicas[0], "maya/claude")).entries]
    assert set(bodies) <= {"[Redacted by maya]"}


async def release(replica: Executor, event: TaskAllowed) -> None:
    async with replica.begin() as work:
        await release_task_request(event, work)
