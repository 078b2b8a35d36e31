"""Why runs fail: the steps that an agent's pulse may name, and the class of each (R31)."""

from __future__ import annotations

from typing import Literal

FailureClass = Literal["auth", "rate_limit", "timeout", "provider", "runtime", "agent", "other"]
Step = Literal[
    "claude_code_sign_in",
    "codex_sign_in",
    "grok_sign_in",
    "claude_code_usage_limit",
    "codex_usage_limit",
    "task_time_limit",
    "reply_time_limit",
    "claude_code_service",
    "codex_service",
    "grok_service",
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
    "claude_code_max_turns",
    "stopped_extra_tools",
    "agent_error",
    "see_runner_log",
]

CLASSES: dict[Step, FailureClass] = {
    "claude_code_sign_in": "auth",
    "codex_sign_in": "auth",
    "grok_sign_in": "auth",
    "claude_code_usage_limit": "rate_limit",
    "codex_usage_limit": "rate_limit",
    "task_time_limit": "timeout",
    "reply_time_limit": "timeout",
    "claude_code_service": "provider",
    "codex_service": "provider",
    "grok_service": "provider",
    "claude_code_not_found": "runtime",
    "codex_not_found": "runtime",
    "cli_not_found": "runtime",
    "cli_did_not_start": "runtime",
    "cli_crashed": "runtime",
    "worktree_failed": "runtime",
    "cross_owner_off": "runtime",
    "room_not_linked": "runtime",
    "cli_replies_only": "runtime",
    "cli_tasks_unverified": "runtime",
    "entry_changed": "runtime",
    "git_too_old": "runtime",
    "app_build_unchecked": "runtime",
    "claude_code_max_turns": "agent",
    "stopped_extra_tools": "agent",
    "agent_error": "agent",
    "see_runner_log": "other",
}

NEVER_GIVEN: frozenset[Step] = frozenset(
    {"cli_replies_only", "cli_tasks_unverified", "entry_changed", "app_build_unchecked", "stopped_extra_tools"}
)
"""Steps of other runners: the hub accepts them, no part of this one can tell them."""


def run_failure(step: Step) -> dict[str, str]:
    """A step as `update_pulse` takes it."""
    return {"class": CLASSES[step], "step": step}
