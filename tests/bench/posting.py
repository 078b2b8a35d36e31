"""(b) Calls of `post_message` with a mention, next to a tool that does nothing on the same transport."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import cycle, islice
from statistics import median

import uvloop

from tests.bench.baseline import running_noop
from tests.bench.hub import PROJECT, Hub, running_hub
from tests.bench.load import Timings, load, tool_call
from tests.bench.processes import cpu_seconds
from tests.bench.report import Figure

CONNECTIONS = (8, 64)
AGENTS = 16
ROUNDS = 3
ROUND_SECONDS = 4.0
WARM_UP_SECONDS = 2.0
TARGET_RATIO = 0.15


@dataclass
class Rounds:
    """What the rounds with one number of connections brought."""

    noops: list[Timings] = field(default_factory=list)
    posts: list[Timings] = field(default_factory=list)
    cpu: list[dict[str, float]] = field(default_factory=list)
    """Milliseconds that each service spent on a post."""

    @property
    def ratio(self) -> float:
        """Posts for each call that does nothing, in the same round."""
        pairs = zip(self.posts, self.noops, strict=True)
        return median(post.calls_per_second / noop.calls_per_second for post, noop in pairs)


def measure() -> list[Figure]:
    """The figures of a hub of its own: rounds of both take turns, for machines have moods."""
    with running_noop() as noop, running_hub(members=AGENTS) as hub:
        measured = uvloop.run(_rounds(noop, hub))
    return [figure for connections, rounds in measured.items() for figure in _figures(connections, rounds)]


async def _rounds(noop: str, hub: Hub) -> dict[int, Rounds]:
    measured = {connections: Rounds() for connections in CONNECTIONS}
    posts, noops = posts_of(hub), [tool_call("noop", {})]
    for url, requests in ((noop, noops), (hub.url, posts)):
        await load(url, list(islice(cycle(requests), max(CONNECTIONS))), WARM_UP_SECONDS)
    for _ in range(ROUNDS):
        for connections, rounds in measured.items():
            rounds.noops.append(await load(noop, noops * connections, ROUND_SECONDS))
            before = _cpu(hub)
            posted = await load(hub.url, list(islice(cycle(posts), connections)), ROUND_SECONDS)
            rounds.posts.append(posted)
            calls = len(posted.milliseconds)
            rounds.cpu.append({name: 1000 * (spent - before[name]) / calls for name, spent in _cpu(hub).items()})
    return measured


def posts_of(hub: Hub) -> list[bytes]:
    """One post of each agent, which mentions the next one."""
    pairs = zip(hub.members, [*hub.members[1:], hub.members[0]], strict=True)
    return [
        tool_call("post_message", {"project": PROJECT, "body": f"@{other.address} hello"}, agent.token)
        for agent, other in pairs
    ]


def _cpu(hub: Hub) -> dict[str, float]:
    return {name: cpu_seconds(pid) for name, pid in hub.pids.items()}


def _figures(connections: int, rounds: Rounds) -> list[Figure]:
    at = f"{connections} connections"
    target, met = "", None
    if connections == max(CONNECTIONS):
        target, met = f"≥ {TARGET_RATIO}", rounds.ratio >= TARGET_RATIO
    return [
        Figure(f"(b) no-op, {at}", _speed(rounds.noops)),
        Figure(f"(b) post_message with a mention, {at}", _speed(rounds.posts)),
        Figure(f"(b) post_message / no-op, {at}", f"{rounds.ratio:.3f}", target, met),
        Figure(f"(b) processor time of a post, {at}", _cpu_text(rounds.cpu)),
    ]


def _speed(rounds: list[Timings]) -> str:
    return f"{_median(rounds, lambda r: r.calls_per_second):,.0f} calls/s, p50 {_median(rounds, _p50):.1f} ms"


def _median(rounds: list[Timings], figure: Callable[[Timings], float]) -> float:
    return median(map(figure, rounds))


def _p50(timings: Timings) -> float:
    return timings.percentile(50)


def _cpu_text(rounds: list[dict[str, float]]) -> str:
    return ", ".join(f"{name} {median(cpu[name] for cpu in rounds):.2f} ms" for name in ("gateway", "rooms"))
