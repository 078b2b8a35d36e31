"""What every hub in tests hands out, in the operator's name."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TypeVar

from prickle.people import PeopleApi
from prickle.testing.accounts import Agent, Device, Person, Project
from prickle.testing.registering import have_agent, have_device, have_person, have_project, owner_of
from prickle.views import NewToken

Answer = TypeVar("Answer")


class HandsOut(ABC):
    """People, agents, devices and projects of a hub: made when they are first asked for, the same ones afterwards.

    Its methods are for tests with and without an event loop. They raise `HubError` with what the hub refuses.
    """

    @property
    @abstractmethod
    def url(self) -> str:
        """Where agents connect, and people at the same host and port."""

    @property
    @abstractmethod
    def operator_token(self) -> str:
        """The token of the hub's operator."""

    def person(self, handle: str, *, team: str | None = None) -> Person:
        """A person; a new one comes into `team`, by default acme."""
        self._ask(lambda api: have_person(api, handle, team))
        return Person(handle, self.url, self._token(lambda api: api.issue_person_token(handle), handle))

    def agent(
        self,
        address: str,
        *,
        team: str | None = None,
        takes_tasks_from: str | None = None,
        capabilities: Sequence[str] | None = None,
    ) -> Agent:
        """An agent, and its owner with it. What is given replaces what was chosen for it before.

        `takes_tasks_from` is `owner` (the hub's default) or `team`.
        """
        labels = None if capabilities is None else list(capabilities)
        self._ask(lambda api: have_agent(api, address, team, takes_tasks_from=takes_tasks_from, capabilities=labels))
        return Agent(address, self.url, self._token(lambda api: api.issue_agent_key(address), address))

    def project(self, slug: str, *, members: Sequence[str] = (), owner: str | None = None) -> Project:
        """A project with these people and agents as members, beside those that it has.

        A new one belongs to `owner`, by default the first member or whose agent that is.
        """
        if owner is None and not members:
            raise ValueError("Name an owner or a member of the project.")
        first = owner or owner_of(members[0])
        return Project(slug, self._ask(lambda api: have_project(api, slug, first, members)))

    def device(
        self, name: str, *, agents: Sequence[str], projects: Sequence[str] = (), slots: int | None = None
    ) -> Device:
        """A device that runs these agents of one person in these projects, which must be there."""
        if not agents:
            raise ValueError("Name the agents that the device runs.")
        device_id = self._ask(lambda api: have_device(api, name, agents, projects, slots))
        return Device(name, device_id, self.url, self._token(lambda api: api.issue_device_key(device_id), device_id))

    def key(self, of: Agent | Device, *, kind: str, project: str | None = None, expires_at: str | None = None) -> str:
        """One more key: `client`, `oauth` or `project` (for one) of an agent; `device` or `tasks` of a device."""
        if isinstance(of, Agent):
            issued = self._ask(
                lambda api: api.issue_agent_key(of.address, kind=kind, project=project, expires_at=expires_at)
            )
        else:
            issued = self._ask(lambda api: api.issue_device_key(of.device_id, kind=kind, expires_at=expires_at))
        return issued["token"]

    @cached_property
    def _tokens(self) -> dict[str, str]:
        return {}

    def _token(self, issue: Callable[[PeopleApi], Awaitable[NewToken]], subject: str) -> str:
        if subject not in self._tokens:
            self._tokens[subject] = self._ask(issue)["token"]
        return self._tokens[subject]

    def _ask(self, asked: Callable[[PeopleApi], Awaitable[Answer]]) -> Answer:
        """What the hub answers the operator; in a thread, since a test may run in an event loop of its own."""
        with ThreadPoolExecutor(1) as aside:
            return aside.submit(asyncio.run, self._answer(asked)).result()

    async def _answer(self, asked: Callable[[PeopleApi], Awaitable[Answer]]) -> Answer:
        async with PeopleApi.connect(self.url, self.operator_token) as api:
            return await asked(api)
