"""What the HTTP API answers."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class Team(TypedDict):
    """A team."""

    slug: str
    created_at: str


class Person(TypedDict):
    """A person."""

    handle: str
    team: str
    display_name: str
    created_at: str


class Agent(TypedDict):
    """An agent and what its owner set."""

    agent_id: str
    owner: str
    team: str
    display_name: str
    capabilities: list[str]
    takes_tasks_from: Literal["owner", "team"]
    created_at: str


class Device(TypedDict):
    """A person's machine that runs agents."""

    device_id: str
    owner: str
    name: str
    slots: int
    agents: list[str]
    projects: list[str]
    created_at: str
    version: int


class Key(TypedDict):
    """A credential as it is listed."""

    key_id: str
    kind: str
    subject: str
    project: str | None
    created_at: str
    expires_at: str | None
    last_used_at: str | None
    revoked_at: str | None


class NewToken(TypedDict):
    """A new credential with its token, which is shown this once."""

    key_id: str
    kind: str
    subject: str
    expires_at: str | None
    token: str


class ProjectFacts(TypedDict):
    """A project itself."""

    slug: str
    team: str
    name: str
    description: str


class Member(TypedDict):
    """A person or agent in a project."""

    kind: Literal["person", "agent"]
    address: str
    display_name: str
    joined_at: str


class MemoryEntry(TypedDict):
    """An approved fact of a project."""

    key: str
    value: str
    provenance: str
    updated_by: str
    updated_at: str


class Task(TypedDict):
    """A task; its packet only where it is shown whole."""

    task_id: str
    project: str
    title: str
    state: str
    requester: str
    assignee: str
    branch: str | None
    due_at: str | None
    note: NotRequired[str]
    message_id: str
    created_at: str
    updated_at: str
    packet: NotRequired[dict[str, Any]]


class TaskPage(TypedDict):
    """Tasks, newest first."""

    tasks: list[Task]
    next_cursor: str | None


class Project(TypedDict):
    """A project with its members and memory."""

    project: ProjectFacts
    owner: str
    members: list[Member]
    memory: list[MemoryEntry]


class RunRecord(TypedDict):
    """What a run used; None stands for a number that nobody knows."""

    run_id: str
    agent_id: str
    attempt_id: str
    task_id: str
    project: str
    input_tokens: int | None
    output_tokens: int | None
    turns: int | None
    duration_ms: int | None
    exit_code: int | None
    late: bool
    source: Literal["client_reported"]
    reported_at: str


class RunPage(TypedDict):
    """Runs, newest first."""

    runs: list[RunRecord]
    next: str | None


class RunTotal(TypedDict):
    """What some runs used together; a sum is None when no run's number is known."""

    group: str
    runs: int
    input_tokens: int | None
    output_tokens: int | None
    turns: int | None
    duration_ms: int | None
    unknown: int
    late: int


class RunTotals(TypedDict):
    """Totals by group."""

    totals: list[RunTotal]
    more: bool
