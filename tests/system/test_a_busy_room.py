"""Everybody talks and listens at once, at two gateways: each hears exactly what mentions it, in the room's order."""

from __future__ import annotations

import asyncio
import random
from typing import Any

from tests.system.pair import Pair, ids

GATEWAYS = 2
POSTS_EACH = 10


async def talk(pair: Pair, author: str, others: list[str], chance: random.Random) -> None:
    """Mention some of the others in each of many posts, at either gateway."""
    for number in range(POSTS_EACH):
        named = chance.sample(others, chance.randint(0, len(others)))
        said = {"project": pair.project, "body": str(number), "mentions": named}
        await pair.call(author, "post_message", **said, gateway=chance.randint(0, 1))


async def listen(pair: Pair, agent: str, talking: asyncio.Event, chance: random.Random) -> list[str]:
    """Wait again and again, passing the last cursor, until all is said and heard; at times leave without reading."""
    heard: list[str] = []
    cursor: dict[str, Any] = {}
    while True:
        said = {"limit": chance.randint(1, 4), "gateway": chance.randint(0, 1), "timeout_seconds": 1, **cursor}
        if chance.random() < 0.2:
            await leave_in_between(pair, agent, said)
            continue
        is_over = not talking.is_set()
        answer = await pair.wait(agent, **said)
        heard += ids(answer)
        cursor = {"cursor": answer["next_cursor"]}
        if is_over and answer["timed_out"]:
            return heard


async def leave_in_between(pair: Pair, agent: str, said: dict[str, Any]) -> None:
    """Begin a wait and drop it, whatever it was about to answer."""
    waiting = await pair.site.wait(agent, **said)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)


async def test_each_agent_hears_each_of_its_mentions_once_and_in_order(pair: Pair) -> None:
    """R19, R20, R22."""
    agents = [pair.ann, pair.bob, *(f"eve-{pair.project}/agent-{number}" for number in range(3))]
    await pair.site.introduce(pair.project, *agents)
    talking, chance = asyncio.Event(), random.Random(7)
    talking.set()
    listening = [asyncio.create_task(listen(pair, agent, talking, chance)) for agent in agents]
    await asyncio.gather(
        *(talk(pair, author, [agent for agent in agents if agent != author], chance) for author in agents)
    )
    talking.clear()
    heard = dict(zip(agents, await asyncio.gather(*listening), strict=True))
    room = (await pair.call(pair.ann, "read_room", project=pair.project, limit=100))["messages"]
    assert len(room) == POSTS_EACH * len(agents)
    for agent in agents:
        assert heard[agent] == [message["id"] for message in room if agent in message["mentions"]]
