"""What a gateway counts for `/metrics`. Labels are names of ours alone: tools, endpoints, codes."""

from __future__ import annotations

from functools import cache
from time import perf_counter
from typing import Literal

from prometheus_client import Counter, Gauge, Histogram

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
OK = "ok"

CALLS = Counter("prickle_gateway_calls", "Calls by outcome: ok, or a refusal's code", ["door", "call", "outcome"])
CALLING = Histogram("prickle_gateway_call_seconds", "From a call to its answer", ["door", "call"], buckets=SECONDS)
TOKENS = Counter("prickle_gateway_tokens", "Tokens: cached, looked_up or unknown", ["found"])
RATE_LIMITED = Counter("prickle_gateway_rate_limited", "Calls beyond what their credential may make")
OPEN_WAITS = Gauge("prickle_gateway_open_waits", "Waits that are open now")
WAITS = Counter(
    "prickle_gateway_waits", "Waits by end: delivered, timed_out, departed, drained, crowded, revoked, refused", ["end"]
)

Door = Literal["mcp", "api"]


def note_call(door: Door, call: str, outcome: str, started: float) -> None:
    """Count a call that began at `started`, on `perf_counter`'s clock."""
    _calls(door, call, outcome).inc()
    _calling(door, call).observe(perf_counter() - started)


@cache
def _calls(door: Door, call: str, outcome: str) -> Counter:
    return CALLS.labels(door, call, outcome)


@cache
def _calling(door: Door, call: str) -> Histogram:
    return CALLING.labels(door, call)
