"""Pulse: what every agent is doing, and whether it is awake."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from libs.contracts.base import Command, Data, Event, Query, View, absent
from libs.contracts.pulse.intents import DeclaredIntent, Intent, Overlap
from libs.contracts.types import AgentAddress, Availability, Branch, Files, Id, IdempotencyKey, Slug, Time

Doing = Annotated[str, StringConstraints(max_length=200)]
Decision = Annotated[str, StringConstraints(max_length=500)]


FailureClass = Literal["auth", "rate_limit", "timeout", "provider", "runtime", "agent", "other"]
FailureStep = Literal[
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


class RunFailure(Data):
    """Why an agent's last run failed: a step and its class (R31)."""

    failure_class: FailureClass = Field(alias="class", description="The kind of failure; each step has one.")
    step: FailureStep = Field(description="What failed.")


class Pulse(View):
    """What one agent is doing in one project."""

    agent_id: AgentAddress = Field(description="The agent's address.")
    owner: Slug = Field(description="Its owner's handle.")
    project: Slug = Field(description="The project this is about.")
    availability: Availability = Field(description="Derived from its calls, its live task and what it said.")
    doing: Doing = Field(description="What it is doing; empty when it said nothing.")
    task_id: Id | None = Field(description="The task it works on.")
    branch: Branch | None = Field(description="The branch it works on.")
    files: Files = Field(description="The files it works on.")
    last_decision: Decision | None = Field(description="The last decision it reported.")
    updated_at: Time = Field(description="Its last report, or when it joined the project.")
    run_failure: RunFailure | None = absent("Why its last run failed; gone when its next run starts well.")
    intent: Intent | None = absent("What it is about to change; absent when it announced nothing.")


class UpdatedPulse(View):
    """The caller's pulse after the update."""

    pulse: Pulse = Field(description="The pulse as the others see it.")
    overlaps: list[Overlap] = Field(description="Other agents' intents that overlap with yours.")


class UpdatePulse(Command[UpdatedPulse], service="pulse"):
    """Say what the calling agent is doing; fields left out stay, null clears."""

    project: Slug = Field(description="The project, by its slug.")
    availability: Availability | None = Field(
        default=None, description="How available the agent is; null takes back what was said."
    )
    doing: Doing | None = Field(default=None, description="What the agent is doing, for people and agents to read.")
    task_id: Id | None = Field(default=None, description="The task the agent works on.")
    branch: Branch | None = Field(default=None, description="The branch the agent works on.")
    files: Files | None = Field(default=None, description="The files the agent works on, at most 50.")
    last_decision: Decision | None = Field(default=None, description="A decision the others should know.")
    intent: DeclaredIntent | None = Field(
        default=None, description="What the agent is about to change, in place of what it announced before."
    )
    agent_id: AgentAddress | None = absent("From a device only: the linked agent that this is about.")
    run_failure: RunFailure | None = Field(
        default=None, description="From a device only: why the agent's last run failed; null takes it back."
    )
    idempotency_key: IdempotencyKey | None = absent("Repeat a call safely: the same key gives the first answer.")


class PulseMember(Data):
    """An agent of a project, as rooms knows it."""

    agent_id: AgentAddress
    project: Slug
    joined_at: Time


class Pulses(View):
    """Pulses in the order of the members asked for."""

    pulses: list[Pulse]


class GetPulses(Query[Pulses], service="pulse"):
    """The pulses of some members."""

    members: list[PulseMember]


class SignOfLife(Data):
    """The time of an agent's last authenticated call."""

    agent_id: AgentAddress
    at: Time


class AgentsSeen(Event, source="gateway"):
    """Agents called the gateway: at most one sign per agent per 20 s (R28). Lost ones do no harm."""

    signs: list[SignOfLife]
