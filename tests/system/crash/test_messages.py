"""Messages and mentions while every process of a hub is killed under load (R18, R19, R22, R43, R44)."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.runtime.running import Up, running
from tests.system.crash.load import (
    EMPTIED,
    MESSAGES_EACH,
    OLDER,
    Agent,
    Answered,
    Progress,
    agents,
    check_mentions,
    speak,
)

pytestmark = pytest.mark.timeout(240)

ROUNDS = [
    ("rooms", 3),
    ("gateway", 7),
    ("valkey", 5),
    ("rooms", 11),
    ("pulse", 4),
    (EMPTIED, 6),
    ("tasks", 2),
    ("gateway", 13),
    (OLDER, 9),
    ("rooms", 1),
]
"""Who is killed in each round, and after how many of its messages."""


@pytest.fixture
async def crew(tmp_path: Path) -> AsyncIterator[tuple[Up, list[Agent]]]:
    with running(tmp_path, "--demo") as up:
        async with agents(up) as crew:
            yield up, crew


async def test_what_was_answered_is_there_once_and_every_mention_is_delivered_in_order(
    crew: tuple[Up, list[Agent]],
) -> None:
    up, crew_of_four = crew
    follows = [asyncio.create_task(agent.follow("wait_for_mention", "mentions")) for agent in crew_of_four]
    answered: Answered = {}
    progress = Progress()
    for number, (victim, answers) in enumerate(ROUNDS):
        await asyncio.gather(
            progress.kill_after(answers, up, victim),
            *(speak(agent, crew_of_four, number, progress, answered) for agent in crew_of_four),
        )
    assert len(answered) == len(ROUNDS) * MESSAGES_EACH * len(crew_of_four)
    room = [message["id"] for message in await crew_of_four[0].messages()]
    assert sorted(room) == sorted(answered)
    for agent, follow in zip(crew_of_four, follows, strict=True):
        await check_mentions(agent, follow, [name for name in room if agent.address in answered[name]])
