"""Two processes of every service on one PostgreSQL: replaced one by one, killed, and with the database restarted."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from prickle import Hub, HubError, PeopleApi
from redis.asyncio import Redis

from libs.bus.streams import commands
from libs.runtime.demo import Demo, seed
from libs.runtime.valkey import EmbeddedValkey
from tests.bench.load import Connection, tool_call
from tests.databases import Cluster, started_cluster
from tests.fleet import Fleet, running_fleet
from tests.harness import until
from tests.process_tree import frozen
from tests.runtime.running import PROJECT
from tests.system.crash.load import Agent, Doors
from tests.system.crash.working_day import catch_up, check_runs, working_day

pytestmark = pytest.mark.timeout(240)

REDIS_NUMBER = 251
ANN, BOB = "maya/codex", "jonas/claude"
UNDER_WAY, BEGUN = "under way", "begun"
REST_SECONDS = 1.0
"""Otherwise the processes that are started get little of the machine."""
SERVICES_FIRST = (("rooms", "tasks", "pulse", "runs"), ("gateway",))
RESTARTS = {"restart": signal.SIGINT, "crash": signal.SIGQUIT}


@dataclass
class Demonstration:
    """The demo's team on a fleet."""

    fleet: Fleet
    demo: Demo
    redis_url: str

    @asynccontextmanager
    async def crew(self, kind: type[Agent]) -> AsyncIterator[list[Agent]]:
        """The demo's agents, whose calls take turns at both gateways."""
        async with AsyncExitStack() as stack:
            yield [
                kind(address, Doors([await self.at(stack, number, address) for number in (0, 1)]))
                for address in self.demo.agents
            ]

    async def at(self, stack: AsyncExitStack, gateway: int, address: str) -> Hub:
        """An agent's line to one gateway."""
        url = self.fleet.of("gateway")[gateway].url
        return await stack.enter_async_context(Hub.at(url, self.demo.agents[address]))

    def owner(self, handle: str) -> PeopleApi:
        return PeopleApi.connect(self.fleet.of("gateway")[0].url, self.demo.persons[handle])


class TriesTwice(Agent):
    """An agent that gives up after the second try of a call."""

    async def insist(self, tool: str, **arguments: object) -> dict[str, object]:
        return await self.hub.call(tool, **arguments)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """A PostgreSQL server that a test may stop."""
    yield from started_cluster()


@pytest.fixture(scope="module")
async def team(
    cluster: Cluster, valkey: EmbeddedValkey, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Demonstration]:
    directory = tmp_path_factory.mktemp("fleet")
    redis_url = f"redis://127.0.0.1:{valkey.port}/{REDIS_NUMBER}"
    async with running_fleet(Path(directory), redis_url, await cluster.new_database()) as fleet:
        url = fleet.of("gateway")[0].url
        made = await asyncio.to_thread(seed, url, fleet.operator, directory / "demo.tokens")
        yield Demonstration(fleet, made, redis_url)


async def test_processes_replaced_one_by_one_are_noticed_by_nobody_who_tries_a_call_twice(team: Demonstration) -> None:
    """R47: services before gateways, and never both replicas of one at once."""
    async with team.crew(TriesTwice) as crew, working_day(crew, rest_seconds=REST_SECONDS) as day:
        for replaced in SERVICES_FIRST:
            for turn in (0, 1):
                await day.goes_on(5)
                await asyncio.gather(*(team.fleet.of(service)[turn].restart() for service in replaced))
    async with team.owner("jonas") as jonas:
        await check_runs(day, jonas)
    assert [line for replica in team.fleet.replicas for line in replica.errors()] == []


@pytest.mark.parametrize("how", RESTARTS.values(), ids=RESTARTS)
async def test_a_database_that_restarts_in_the_middle_of_a_day_loses_and_doubles_nothing(
    team: Demonstration, cluster: Cluster, how: signal.Signals
) -> None:
    """R44: and no process of ours has to be started again."""
    async with team.crew(Agent) as crew, working_day(crew) as day:
        await day.goes_on(20)
        await asyncio.to_thread(cluster.stop, how)
        await asyncio.to_thread(cluster.start)
        await day.goes_on(40)
    async with team.owner("jonas") as jonas:
        await check_runs(day, jonas)
    assert [replica.ending for replica in team.fleet.replicas if replica.ending] == []


async def test_what_a_killed_gateway_had_under_way_goes_on_at_the_other(team: Demonstration) -> None:
    """R22, R40: a call repeated with its key gets its answer, and a wait repeated with its cursor its entry."""
    dying = team.fleet.of("gateway")[0]
    async with AsyncExitStack() as stack:
        ann, ann_elsewhere, bob, bob_elsewhere = [
            await team.at(stack, gateway, address) for address in (ANN, BOB) for gateway in (0, 1)
        ]
        cursor = [await caught_up(hub) for hub in (bob_elsewhere, bob)][-1]
        said = {"project": PROJECT, "body": f"@{BOB} {UNDER_WAY}", "idempotency_key": UNDER_WAY}
        waits = [asyncio.create_task(heard(hub, cursor)) for hub in (bob, bob_elsewhere)]
        with ExitStack() as standing_still:
            for replica in team.fleet.of("rooms"):
                standing_still.enter_context(frozen(replica.pid))
            posting = asyncio.create_task(ann.call("post_message", **said))
            await until(lambda: is_under_way(team.redis_url, UNDER_WAY))
            dying.kill()
        for broken in (posting, waits[0]):
            with pytest.raises(HubError):
                await broken
        posted = await ann_elsewhere.call("post_message", **said)
        ids = [posted["message"]["id"]]
        assert await waits[1] == await heard(bob_elsewhere, cursor) == ids
        dying.spawn()
        await dying.become_ready()
        assert await heard(bob, cursor) == ids
        assert await ann.call("post_message", **said) == posted
        room = await Agent(ANN, ann).messages()
        assert [message["id"] for message in room if message["body"] == said["body"]] == ids


async def test_a_gateway_that_is_told_to_stop_answers_the_calls_it_has_begun(team: Demonstration) -> None:
    """R25: and is gone afterwards."""
    stopping = team.fleet.of("gateway")[0]
    connection = await Connection.open(stopping.url)
    with ExitStack() as standing_still:
        for replica in team.fleet.of("rooms"):
            standing_still.enter_context(frozen(replica.pid))
        post = tool_call("post_message", {"project": PROJECT, "body": BEGUN}, team.demo.agents[ANN])
        posting = asyncio.create_task(connection.call(post))
        await until(lambda: is_under_way(team.redis_url, BEGUN))
        stopping.ask_to_stop()
        await until(lambda: not stopping.ready())
    assert BEGUN.encode() in await posting
    await until(lambda: stopping.ending, seconds=20)
    stopping.spawn()
    await stopping.become_ready()


async def caught_up(hub: Hub) -> str:
    """A cursor of bob's with nothing after it."""
    bob = Agent(BOB, hub)
    await catch_up(bob, "wait_for_mention", "mentions")
    return bob.cursor["cursor"]


async def heard(hub: Hub, cursor: str) -> list[str]:
    """The ids of the messages that a wait brings."""
    page = await hub.call("wait_for_mention", cursor=cursor, timeout_seconds=20)
    return [message["id"] for message in page["mentions"]]


async def is_under_way(redis_url: str, body: str) -> bool:
    """Whether a message has been sent to rooms."""
    async with Redis.from_url(redis_url) as redis:
        sent = await redis.xrange(commands("rooms"))
    return any(body.encode() in data for _, fields in sent for data in fields.values())
