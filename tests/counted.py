"""What `/metrics` says of one series: all tests of a process share the counters, so tests look at what was added."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import REGISTRY


def measured(name: str, **labels: str) -> float:
    """What stands there now; 0 when nothing does."""
    return REGISTRY.get_sample_value(name, labels) or 0.0


def added(name: str, **labels: str) -> Callable[[], float]:
    """How much will have been added since now."""
    before = measured(name, **labels)
    return lambda: measured(name, **labels) - before
