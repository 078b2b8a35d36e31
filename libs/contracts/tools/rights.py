"""Who may call which tool, by the kind of credential."""

from __future__ import annotations

from typing import Final

from libs.contracts.caller import Caller, CredentialKind, Run
from libs.contracts.reference import allowable_tools

Kinds = frozenset[CredentialKind]

AGENTS: Final[Kinds] = frozenset({"client", "project", "oauth"})
WORKERS: Final[Kinds] = AGENTS | frozenset({"run"})
DEVICE: Final[Kinds] = frozenset({"device"})
RUNNERS: Final[Kinds] = frozenset({"device", "tasks"})

RIGHTS: dict[str, Kinds] = {
    "get_project_context": WORKERS | DEVICE,
    "discover_team_agents": WORKERS,
    "read_room": WORKERS,
    "post_message": WORKERS,
    "wait_for_mention": WORKERS,
    "wait_for_updates": WORKERS | RUNNERS,
    "handoff": WORKERS,
    "preview_packet": WORKERS,
    "check_inbox": WORKERS,
    "accept_task": AGENTS,
    "checkpoint": WORKERS,
    "return_result": WORKERS,
    "accept_result": AGENTS,
    "reject_result": AGENTS,
    "cancel_task": WORKERS,
    "request_clarification": WORKERS,
    "answer_clarification": WORKERS,
    "request_capability": WORKERS,
    "request_step": WORKERS,
    "update_pulse": WORKERS | DEVICE,
    "memory_agents": WORKERS,
    "claim_task": RUNNERS,
    "claim_discussion": DEVICE,
    "report_run": RUNNERS | frozenset({"client"}),
}
"""Every tool of the catalog; `run` stands for the run of a task.

What `allowed_tools` cannot name goes with a tool that it can: cancel_task and preview_packet with handoff,
request_clarification and answer_clarification with checkpoint, memory_agents with update_pulse.
"""

DISCUSSION_TOOLS = frozenset({"read_room", "get_project_context", "post_message"})
"""What the run of a discussion may call."""


def may_call(tool: str, caller: Caller) -> bool:
    """Whether a caller's credential is good for a tool of the catalog."""
    return caller.kind in RIGHTS[tool] and (caller.run is None or _may_run(tool, caller.run))


def run_tools(run: Run) -> list[str]:
    """The `allowed_tools` of a run's credential, in the order of the reference."""
    return [tool for tool in allowable_tools() if "run" in RIGHTS.get(tool, ()) and _may_run(tool, run)]


def _may_run(tool: str, run: Run) -> bool:
    return run.discussion_id is None or tool in DISCUSSION_TOOLS
