"""(g) Waking, posting and claiming on SQLite, and on PostgreSQL with one and two replicas of rooms and of tasks."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import cycle, islice

import uvloop

from tests.bench.claiming import DEVICES, TASKS, Race, compete
from tests.bench.hub import Hub, running_hub
from tests.bench.load import Timings, load
from tests.bench.posting import AGENTS, CONNECTIONS, ROUND_SECONDS, ROUNDS, WARM_UP_SECONDS, posts_of
from tests.bench.report import Figure
from tests.bench.waking import woken

PLACES = {"SQLite": 0, "PostgreSQL": 1, "PostgreSQL, two replicas of rooms and of tasks": 2}
"""The replicas of each; none where one process has the file to itself."""
AT_ONCE = max(CONNECTIONS)


@dataclass(frozen=True)
class Measured:
    """What one of the hubs did."""

    waking: Timings
    posts: Timings
    race: Race


def measure() -> list[Figure]:
    """The figures of a hub of its own for each place."""
    return [figure for place, replicas in PLACES.items() for figure in _figures(place, _at(replicas))]


def _at(replicas: int) -> Measured:
    with running_hub(members=AGENTS, devices=DEVICES, replicas=replicas) as hub:
        return uvloop.run(_measured(hub))


async def _measured(hub: Hub) -> Measured:
    """Waking comes first, for nobody has been mentioned yet."""
    waking, posts = await woken(hub), list(islice(cycle(posts_of(hub)), AT_ONCE))
    await load(hub.url, posts, WARM_UP_SECONDS)
    posted = await load(hub.url, posts, ROUNDS * ROUND_SECONDS)
    return Measured(waking, posted, await compete(hub))


def _figures(place: str, measured: Measured) -> list[Figure]:
    race, posts = measured.race, measured.posts
    handed_off, won = TASKS / race.handing_off_seconds, len(race.won) / race.seconds
    tasks = f"{handed_off:,.0f} handoffs/s, then {won:,.0f} claims won/s"
    return [
        Figure(f"(g) post_message sent to wait_for_mention answered, {place}", measured.waking.latency),
        Figure(f"(g) post_message with a mention, {AT_ONCE} connections, {place}", _speed(posts)),
        Figure(f"(g) {TASKS:,} tasks for {DEVICES} devices, {place}", tasks),
    ]


def _speed(posts: Timings) -> str:
    return f"{posts.calls_per_second:,.0f} calls/s, {posts.latency}"
