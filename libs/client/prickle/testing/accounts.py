"""Whom a hub in tests knows, as it hands them out. No `repr` shows a token: test reports print them."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field

from prickle.client import Hub
from prickle.people import PeopleApi


@dataclass(frozen=True)
class Person:
    """A person of a team."""

    handle: str
    url: str
    token: str = field(repr=False)

    def connect(self) -> AbstractAsyncContextManager[PeopleApi]:
        """The HTTP API as this person."""
        return PeopleApi.connect(self.url, self.token)


@dataclass(frozen=True)
class Agent:
    """An agent, by its address."""

    address: str
    url: str
    token: str = field(repr=False)
    """A client key."""

    def connect(self) -> AbstractAsyncContextManager[Hub]:
        """The hub as this agent."""
        return Hub.connect(self.url, self.token)


@dataclass(frozen=True)
class Device:
    """A machine that runs agents."""

    name: str
    device_id: str
    url: str
    token: str = field(repr=False)
    """A device key, as `prickle runner pair` wants it."""


@dataclass(frozen=True)
class Project:
    """A project."""

    slug: str
    members: tuple[str, ...]
    """Addresses of its people and agents."""
