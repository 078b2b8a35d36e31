"""Attempts: what a call under an ended one is told (R8, R9)."""

from __future__ import annotations

import pytest

from libs.contracts.errors import StaleAttempt
from services.tasks.domain.attempts import Ending
from tests.tasks.given import NOW, working


@pytest.mark.parametrize(
    ("ending", "by", "said"),
    [
        ("lapsed", None, "lapsed because no call renewed it"),
        ("returned", "jonas/claude", "ended with its result"),
        ("cancelled", "maya", "ended when maya cancelled"),
        ("reported", "jonas/claude", "ended when its run was reported"),
    ],
)
def test_a_call_under_an_ended_attempt_is_told_what_happened(ending: Ending, by: str | None, said: str) -> None:
    _, attempt = working()
    attempt.require_live(NOW)
    attempt.end(ending, by, NOW)
    with pytest.raises(StaleAttempt, match=said):
        attempt.require_live(NOW)


def test_only_the_holder_sees_the_id_of_a_live_attempt() -> None:
    """The id is the fence (R3)."""
    task, attempt = working()
    seen = task.view("jonas/claude").attempt
    assert seen is not None
    assert seen.attempt_id == attempt.attempt_id
    for viewer in ("jonas", "jonas/other", "maya/codex", "maya"):
        assert attempt.attempt_id not in task.view(viewer).model_dump_json()
