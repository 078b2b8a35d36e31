"""Why runs fail: steps and their classes (R31)."""

from __future__ import annotations

from libs.contracts.errors import InvalidInput
from libs.contracts.pulse import FailureClass, FailureStep, RunFailure

STEPS: dict[FailureClass, tuple[FailureStep, ...]] = {
    "auth": ("claude_code_sign_in", "codex_sign_in", "grok_sign_in"),
    "rate_limit": ("claude_code_usage_limit", "codex_usage_limit"),
    "timeout": ("task_time_limit", "reply_time_limit"),
    "provider": ("claude_code_service", "codex_service", "grok_service"),
    "runtime": (
        "claude_code_not_found",
        "codex_not_found",
        "cli_not_found",
        "cli_did_not_start",
        "cli_crashed",
        "worktree_failed",
        "cross_owner_off",
        "room_not_linked",
        "cli_replies_only",
        "cli_tasks_unverified",
        "entry_changed",
        "git_too_old",
        "app_build_unchecked",
    ),
    "agent": ("claude_code_max_turns", "stopped_extra_tools", "agent_error"),
    "other": ("see_runner_log",),
}
CLASSES: dict[FailureStep, FailureClass] = {step: kind for kind, steps in STEPS.items() for step in steps}
"""The one class of each step (R31)."""


def check_class(failure: RunFailure | None) -> None:
    """Refuse a class that is not the step's (R31)."""
    if failure is not None and failure.failure_class != CLASSES[failure.step]:
        raise InvalidInput(f"Give this step with its class, {CLASSES[failure.step]}.", field="run_failure.class")
