"""Who is known to the hub, as the HTTP API answers it."""

from __future__ import annotations

from typing import Literal, TypedDict


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
