"""Discussions over the bus (R14)."""

from __future__ import annotations

import asyncio

import pytest

from libs.contracts.directory import AgentRemoved
from libs.contracts.errors import (
    Conflict,
    IdempotencyConflict,
    InvalidInput,
    NotFound,
    RoomNotLinked,
    StaleAttempt,
    Unavailable,
)
from libs.contracts.tasks import ClaimDiscussion, EndDiscussion
from libs.storage import new_id
from tests.tasks.desk import Desk
from tests.tasks.runners import Runner, announce

SERVICES = ("tasks",)


@pytest.fixture
def message() -> str:
    """The id of a message that no other test answers."""
    return new_id("msg")


async def test_a_device_claims_a_message_that_mentions_its_agent(desk: Desk, message: str) -> None:
    runner = Runner(desk)
    claimed = await runner.discuss(message_id=message)
    assert (claimed.message_id, claimed.project, claimed.agent_id) == (message, "website", desk.claude)
    assert (claimed.expires_at - claimed.claimed_at).total_seconds() == 3600
    token = await runner.token("talk-1")
    assert token.caller is not None
    assert (token.caller.kind, token.caller.subject, token.caller.project) == ("run", desk.claude, "website")
    assert token.caller.run is not None
    run = token.caller.run
    assert (run.discussion_id, run.message_id, run.task_id) == (claimed.discussion_id, message, None)
    assert (token.expires_at, token.ended) == (claimed.expires_at, None)


async def test_a_discussion_takes_no_slot(desk: Desk, message: str) -> None:
    runner = Runner(desk)
    await runner.claim()
    assert await runner.discuss(message_id=message)


async def test_a_message_has_one_live_claim_and_the_others_are_told_whose(desk: Desk, message: str) -> None:
    await Runner(desk).discuss(message_id=message)
    with pytest.raises(Conflict) as refused:
        await Runner(desk).discuss(message_id=message)
    assert refused.value.data.details == {"holder": desk.claude}


async def test_of_many_claims_of_a_message_at_once_one_wins(desk: Desk) -> None:
    for number in range(20):
        claims = [Runner(desk).discuss(message_id=f"msg_race_{number}") for _ in range(8)]
        answers = await asyncio.gather(*claims, return_exceptions=True)
        assert len([answer for answer in answers if isinstance(answer, Conflict)]) == 7


async def test_the_same_key_replays_the_claim_with_a_fresh_token(desk: Desk, message: str) -> None:
    runner = Runner(desk)
    first = await runner.discuss(message_id=message, token="first")
    desk.hub.clock.advance(30)
    assert await runner.discuss(message_id=message, token="second") == first
    assert (await runner.token(token="first")).caller is None
    assert (await runner.token(token="second")).ended is None


async def test_a_key_of_another_discussion_is_refused(desk: Desk, message: str) -> None:
    runner = Runner(desk)
    other = f"{desk.jonas}/other"
    runner.agents = [desk.claude, other]
    await runner.discuss(message_id=message)
    for again in ({"message_id": new_id("msg")}, {"message_id": message, "agent_id": other}):
        with pytest.raises(IdempotencyConflict):
            await runner.discuss(**again)


async def test_the_agent_must_be_mentioned_linked_and_clear(desk: Desk, message: str) -> None:
    other = f"{desk.jonas}/other"
    runner = Runner(desk, agents=[desk.claude, other])
    both = [desk.claude, other, desk.codex]
    for said in ({"mentioned": both}, {"mentioned": both, "agent_id": desk.codex}, {"agent_id": other}):
        with pytest.raises(InvalidInput) as refused:
            await runner.discuss(message_id=message, **said)
        assert refused.value.data.field == "agent_id"
    assert (await runner.discuss(both, message, agent_id=other)).agent_id == other


@pytest.mark.parametrize("mentioned", [[], ["maya"], ["maya/codex"]])
async def test_a_message_that_mentions_no_linked_agent_is_not_found(
    desk: Desk, message: str, mentioned: list[str]
) -> None:
    with pytest.raises(NotFound) as refused:
        await Runner(desk).discuss(mentioned, message)
    assert refused.value.data.field == "message_id"


async def test_a_device_answers_in_its_own_projects_only(desk: Desk, message: str) -> None:
    with pytest.raises(RoomNotLinked):
        await Runner(desk, projects=["elsewhere"]).discuss(message_id=message)


async def test_a_claim_is_not_replayed_to_a_device_that_lost_the_agent(desk: Desk, message: str) -> None:
    """R12."""
    runner = Runner(desk)
    await runner.discuss(message_id=message)
    runner.agents = []
    with pytest.raises(NotFound):
        await runner.discuss(message_id=message)


async def test_the_first_reply_ends_it_and_its_token_for_good(desk: Desk, message: str) -> None:
    runner = Runner(desk)
    claimed = await runner.discuss(message_id=message)
    for _ in range(2):
        await desk.hub.ask(EndDiscussion(discussion_id=claimed.discussion_id))
    token = await runner.token("talk-1")
    assert "its reply" in (token.ended or "")
    assert not token.may_repeat_result
    with pytest.raises(StaleAttempt):
        await runner.discuss(message_id=message)
    desk.hub.clock.advance(86_400)
    assert (await runner.token("talk-1")).caller is None


async def test_a_message_that_an_agent_has_answered_is_left_to_the_other_agents(desk: Desk, message: str) -> None:
    """Two devices of one agent do not both answer."""
    other = f"{desk.jonas}/other"
    first, second = Runner(desk), Runner(desk, agents=[desk.claude, other])
    claimed = await first.discuss([desk.claude, other], message)
    await desk.hub.ask(EndDiscussion(discussion_id=claimed.discussion_id))
    with pytest.raises(Conflict, match="has answered"):
        await second.discuss([desk.claude, other], message, agent_id=desk.claude)
    assert await second.discuss([desk.claude, other], message, agent_id=other)


async def test_it_ends_after_an_hour_and_the_message_may_be_claimed_again(desk: Desk, message: str) -> None:
    runner = Runner(desk)
    first = await runner.discuss(message_id=message)
    desk.hub.clock.advance(3_599)
    assert (await runner.token("talk-1")).ended is None
    desk.hub.clock.advance(1)
    assert "time was up" in ((await runner.token("talk-1")).ended or "")
    second = await runner.discuss(message_id=message, key="talk-2")
    assert second.discussion_id != first.discussion_id
    assert (await runner.token("talk-2")).ended is None


async def test_it_ends_with_its_device_or_its_agent(desk: Desk, message: str) -> None:
    device, agent = Runner(desk), Runner(desk)
    await device.discuss(message_id=message)
    await device.announce(removed=True)
    await agent.discuss(message_id=new_id("msg"))
    await announce(desk, AgentRemoved(agent_id=desk.claude))
    for runner in (device, agent):
        assert "took its device or agent away" in ((await runner.token("talk-1")).ended or "")


async def test_an_unknown_discussion_is_not_found_and_one_without_facts_a_crash(desk: Desk, message: str) -> None:
    with pytest.raises(NotFound):
        await desk.hub.ask(EndDiscussion(discussion_id="dis_unknown"))
    with pytest.raises(Unavailable):
        await desk.hub.ask(
            ClaimDiscussion(project="website", message_id=message, idempotency_key="x", mentioned=[desk.claude])
        )
