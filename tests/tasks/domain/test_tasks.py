"""Tasks: who sees them and who may change them (R1, R4, R16)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from libs.contracts.caller import OPERATOR
from libs.contracts.errors import Conflict, Forbidden
from services.tasks.domain import Task
from tests.harness import caller
from tests.tasks.given import CLAUDE, CODEX, MAYA, NOW, POLICY, ROSA, requested, returned, working

DEADLINE = timedelta(seconds=POLICY.attempt_deadline_seconds)


@pytest.mark.parametrize("address", ["maya/codex", "maya", "maya/claude", "jonas/claude", "jonas", "jonas/bot", "rosa"])
def test_both_sides_and_the_projects_owner_see_a_task(address: str) -> None:
    assert requested().seen_by(caller(address))


@pytest.mark.parametrize("address", ["rosa/bot", "tom", "tom/bot", "may", "maya-2"])
def test_other_members_do_not_see_it(address: str) -> None:
    assert not requested().seen_by(caller(address))
    assert not requested().seen_by(OPERATOR)


@pytest.mark.parametrize("address", ["jonas", "jonas/bot", "maya/codex", "rosa"])
def test_only_the_agent_it_was_handed_to_takes_or_declines_it(address: str) -> None:
    task = requested()
    with pytest.raises(Forbidden, match="jonas/claude"):
        task.take(caller(address), None, NOW, POLICY)
    with pytest.raises(Forbidden, match="jonas/claude"):
        task.decline(caller(address), "No.", NOW)


@pytest.mark.parametrize("address", ["jonas/claude", "jonas", "maya/claude", "rosa/bot"])
def test_nobody_but_the_requesters_side_reviews_and_cancels(address: str) -> None:
    task, result = returned()
    with pytest.raises(Forbidden, match="the requester"):
        task.review(result, "accepted", caller(address), None, NOW)
    with pytest.raises(Forbidden, match="the requester"):
        task.cancel(caller(address), "No.", NOW)


@pytest.mark.parametrize("by", [CODEX, MAYA, ROSA])
def test_requester_owner_and_projects_owner_review(by: object) -> None:
    task, result = returned()
    assert task.review(result, "accepted", by, "Good.", NOW)  # type: ignore[arg-type]
    assert task.state == "accepted"


def test_the_agent_that_did_the_work_never_reviews_it() -> None:
    task, result = returned()
    task.requester = result.agent_id
    with pytest.raises(Forbidden):
        task.review(result, "accepted", CLAUDE, None, NOW)


def test_an_attempt_lapses_at_its_deadline_and_not_before() -> None:
    """R4."""
    task, attempt = working()
    assert task.lapse(NOW + DEADLINE - timedelta(seconds=1), POLICY) is None
    assert task.lapse(NOW + DEADLINE, POLICY) is attempt
    assert (task.state, task.attempt) == ("requested", None)


def test_a_task_fails_when_its_attempts_are_used_up() -> None:
    """R4."""
    task, now = requested(), NOW
    for state in ("requested", "requested", "failed"):
        task.take(CLAUDE, None, now, POLICY)
        now += DEADLINE
        task.lapse(now, POLICY)
        assert task.state == state
    with pytest.raises(Conflict, match="failed"):
        task.take(CLAUDE, None, now, POLICY)


def test_what_was_said_with_a_change_is_shown_until_the_next() -> None:
    task = requested()
    task.take(CLAUDE, "On it.", NOW, POLICY)
    assert note(task) == "On it."
    task.lapse(NOW + DEADLINE, POLICY)
    assert note(task) is None
    task.cancel(MAYA, "Not needed.", NOW)
    assert note(task) == "Not needed."


def note(task: Task) -> str | None:
    return task.view("maya").note
