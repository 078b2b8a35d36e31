"""Handoffs: what may be handed to whom."""

from __future__ import annotations

from datetime import timedelta

import pytest

from libs.contracts.caller import Caller
from libs.contracts.errors import InvalidInput
from services.tasks.domain.handoffs import request_body
from tests.tasks.given import CLAUDE, CODEX, MAYA, NOW, a_message, facts, opened


def test_a_handoff_opens_a_requested_task_with_the_packet_as_it_was() -> None:
    context = {"files": ["src/form.ts"], "branch": "form", "message_ids": ["msg_0"]}
    task, packet = opened(known=facts(messages=[a_message()]), context=context, evidence=[["commit"]])
    assert (task.state, task.requester, task.assignee) == ("requested", "maya/codex", "jonas/claude")
    assert (task.branch, task.attempt, task.attempts_used) == ("form", None, 0)
    shown = packet.view()
    assert shown.context.messages == [a_message()]
    assert (shown.context.files, shown.context.branch, shown.evidence) == (["src/form.ts"], "form", [["commit"]])


def test_without_kinds_of_evidence_any_kind_is_enough_for_each_criterion() -> None:
    _, packet = opened(acceptance=["One.", "Two."])
    assert packet.evidence == [[], []]


def test_a_person_may_hand_off_too() -> None:
    task, _ = opened(by=MAYA)
    assert (task.requester, task.requester_owner) == ("maya", "maya")


def test_a_task_is_not_handed_to_oneself() -> None:
    with pytest.raises(InvalidInput) as refused:
        opened(by=CLAUDE)
    assert refused.value.data.field == "to"


@pytest.mark.parametrize("evidence", [[], [[], []]])
def test_evidence_must_be_as_long_as_acceptance(evidence: list[list[str]]) -> None:
    with pytest.raises(InvalidInput) as refused:
        opened(evidence=evidence)
    assert refused.value.data.field == "evidence"


@pytest.mark.parametrize("by", [CODEX, MAYA])
def test_a_task_from_outside_for_an_agent_that_takes_tasks_from_its_owner_only_awaits_that_owner(by: Caller) -> None:
    """R2."""
    task, _ = opened(by=by, known=facts(takes_tasks_from="owner"))
    assert task.state == "awaiting_owner"


@pytest.mark.parametrize("seconds", [0, -1, -86_400])
def test_a_task_cannot_be_due_before_it_is_handed_off(seconds: int) -> None:
    """R13."""
    with pytest.raises(InvalidInput) as refused:
        opened(due_at=NOW + timedelta(seconds=seconds))
    assert refused.value.data.field == "due_at"


def test_a_due_date_is_shown_with_the_task() -> None:
    due = NOW + timedelta(hours=1)
    assert opened(due_at=due)[0].view("maya").due_at == due


def test_an_agent_that_takes_tasks_from_its_owner_takes_those_of_its_owners_side() -> None:
    known = facts(takes_tasks_from="owner")
    assert opened(by=CODEX, known=known, to="maya/claude")[0].state == "requested"
    assert opened(by=MAYA, known=known, to="maya/codex")[0].state == "requested"


def test_the_task_request_is_the_title_and_the_beginning_of_the_objective() -> None:
    assert request_body(*opened()) == "**Fix the form**\n\nIt loses input."
    long = request_body(*opened(title="t" * 120, objective="o" * 8000))
    assert long.startswith("**" + "t" * 120 + "**\n\nooo")
    assert long.endswith("o…")
    assert len(long) < 8000
