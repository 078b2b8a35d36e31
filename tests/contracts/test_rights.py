"""Who may call what: the table of the tools reference."""

from __future__ import annotations

from typing import get_args

import pytest

from libs.contracts.caller import Caller, CredentialKind, Run
from libs.contracts.reference import allowable_tools
from libs.contracts.tools import TOOLS
from libs.contracts.tools.rights import RIGHTS, may_call, run_tools

RUNNER_ONLY = {"claim_task", "claim_discussion", "report_run"}
OF_AGENTS = set(TOOLS) - RUNNER_ONLY
NO_RUNS = {"accept_task", "accept_result", "reject_result"}
TASK_RUN = Run(project="website-v2", attempt_id="att_1", task_id="task_1")
UNNAMEABLE = {"memory_agents", "cancel_task", "preview_packet", "request_clarification", "answer_clarification"}
"""What goes with handoff, checkpoint and update_pulse, because the reference has no names for it."""
DISCUSSION_RUN = Run(project="website-v2", discussion_id="dis_1", message_id="msg_1")

MAY_CALL = {
    "client": OF_AGENTS | {"report_run"},
    "project": OF_AGENTS,
    "oauth": OF_AGENTS,
    "device": RUNNER_ONLY | {"wait_for_updates", "update_pulse", "get_project_context"},
    "tasks": {"claim_task", "wait_for_updates", "report_run"},
    "person": set(),
    "operator": set(),
    "system": set(),
}


def callable_by(caller: Caller) -> set[str]:
    return {tool for tool in TOOLS if may_call(tool, caller)}


def test_every_tool_says_who_may_call_it() -> None:
    assert set(RIGHTS) == set(TOOLS)


@pytest.mark.parametrize("kind", [kind for kind in get_args(CredentialKind) if kind != "run"])
def test_a_credential_may_call_what_the_reference_says(kind: CredentialKind) -> None:
    assert callable_by(Caller(kind=kind, subject="maya/codex")) == MAY_CALL[kind]


def test_a_run_of_a_task_takes_reviews_and_reports_nothing() -> None:
    caller = Caller(kind="run", subject="maya/codex", project="website-v2", run=TASK_RUN)
    assert callable_by(caller) == OF_AGENTS - NO_RUNS


def test_a_run_of_a_discussion_reads_and_answers() -> None:
    caller = Caller(kind="run", subject="maya/codex", project="website-v2", run=DISCUSSION_RUN)
    assert callable_by(caller) == {"read_room", "get_project_context", "post_message"}


@pytest.mark.parametrize("run", [TASK_RUN, DISCUSSION_RUN], ids=["task", "discussion"])
def test_a_run_is_told_the_tools_it_may_call_as_far_as_the_reference_can_name_them(run: Run) -> None:
    caller = Caller(kind="run", subject="maya/codex", project="website-v2", run=run)
    assert run_tools(run) == [tool for tool in allowable_tools() if tool in callable_by(caller)]
    assert callable_by(caller) - set(run_tools(run)) <= UNNAMEABLE
