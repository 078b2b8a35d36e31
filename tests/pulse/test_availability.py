"""Availability is derived: offline, away or asleep, working, online, idle; the first that holds (R28)."""

from __future__ import annotations

import pytest

from libs.contracts.policy import Policy
from services.pulse.domain import Signs


def derived(silent: float | None, said: str | None = None, holds_task: bool = False) -> str:
    return Signs(silent, holds_task, Policy()).availability(said)


@pytest.mark.parametrize("said", [None, "online", "working", "idle", "asleep", "away", "offline"])
@pytest.mark.parametrize("silent", [None, 900.0, 20 * 60.0])
def test_an_agent_that_was_never_seen_or_is_silent_for_15_minutes_is_offline(
    silent: float | None, said: str | None
) -> None:
    assert derived(silent, said) == derived(silent, said, holds_task=True) == "offline"


def test_an_agent_that_said_goodbye_is_offline_however_fresh_its_signs() -> None:
    assert derived(0.0, "offline", holds_task=True) == "offline"


@pytest.mark.parametrize("said", ["away", "asleep"])
def test_who_said_away_or_asleep_is_that_even_with_a_live_task(said: str) -> None:
    assert derived(0.0, said, holds_task=True) == derived(899.9, said) == said


def test_a_live_attempt_is_work_whatever_else_was_said() -> None:
    assert derived(899.9, holds_task=True) == derived(0.0, "idle", holds_task=True) == "working"


def test_who_said_working_is_working() -> None:
    assert derived(899.9, "working") == "working"


def test_a_call_within_a_minute_is_online_and_later_is_idle() -> None:
    assert derived(0.0) == derived(60.0) == "online"
    assert derived(60.1) == derived(899.9) == "idle"


@pytest.mark.parametrize("said", ["online", "idle"])
def test_saying_online_or_idle_only_ends_what_was_said_before(said: str) -> None:
    assert derived(0.0, said) == "online"
    assert derived(61.0, said) == "idle"


def test_the_durations_are_settings() -> None:
    policy = Policy(offline_after_seconds=10.0, online_within_seconds=1.0)
    assert [Signs(silent, False, policy).availability(None) for silent in (1.0, 2.0, 10.0)] == [
        "online",
        "idle",
        "offline",
    ]
