"""What persons and operators do on a hub, over its HTTP API."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import quote

import httpx2

from prickle.access import api_url, bearer
from prickle.errors import HubError, unexpected, unreachable
from prickle.views import (
    Agent,
    Device,
    Key,
    MemoryEntry,
    NewToken,
    Person,
    Project,
    RunPage,
    RunTotals,
    Task,
    TaskPage,
    Team,
)

TIMEOUT_SECONDS = 30.0


class PeopleApi:
    """The HTTP API, a method per endpoint; every method raises `HubError`. Times are RFC 3339 texts.

    Fields given as None are left out of what is sent.
    """

    def __init__(self, http: httpx2.AsyncClient) -> None:
        self._http = http

    @classmethod
    @asynccontextmanager
    async def connect(cls, url: str, token: str) -> AsyncIterator[PeopleApi]:
        """The API of the hub at any of its URLs, for the person or operator whose token it is."""
        async with httpx2.AsyncClient(base_url=api_url(url), headers=bearer(token), timeout=TIMEOUT_SECONDS) as http:
            yield cls(http)

    async def create_team(self, slug: str) -> Team:
        """Create a team (operator)."""
        team: Team = await self._send("POST", "teams", slug=slug)
        return team

    async def list_teams(self) -> list[Team]:
        """All teams (operator)."""
        teams: list[Team] = (await self._send("GET", "teams"))["teams"]
        return teams

    async def create_person(self, handle: str, team: str, display_name: str) -> Person:
        """Create a person in a team (operator)."""
        person: Person = await self._send("POST", "people", handle=handle, team=team, display_name=display_name)
        return person

    async def list_people(self) -> list[Person]:
        """The people of the caller's team; everybody for the operator."""
        people: list[Person] = (await self._send("GET", "people"))["people"]
        return people

    async def issue_person_token(self, handle: str, *, expires_at: str | None = None) -> NewToken:
        """A new token of a person, for the person and the operator."""
        issued: NewToken = await self._send("POST", "people", handle, "tokens", expires_at=expires_at)
        return issued

    async def list_person_tokens(self, handle: str) -> list[Key]:
        """The tokens of a person."""
        keys: list[Key] = (await self._send("GET", "people", handle, "tokens"))["keys"]
        return keys

    async def create_agent(
        self,
        agent_id: str,
        display_name: str,
        *,
        capabilities: list[str] | None = None,
        takes_tasks_from: str | None = None,
    ) -> Agent:
        """Create an agent of the calling person, or of anyone (operator)."""
        wanted = {"capabilities": capabilities, "takes_tasks_from": takes_tasks_from}
        agent: Agent = await self._send("POST", "agents", agent_id=agent_id, display_name=display_name, **wanted)
        return agent

    async def list_agents(self) -> list[Agent]:
        """The agents of the caller's team; all of them for the operator."""
        agents: list[Agent] = (await self._send("GET", "agents"))["agents"]
        return agents

    async def update_agent(
        self,
        agent_id: str,
        *,
        display_name: str | None = None,
        capabilities: list[str] | None = None,
        takes_tasks_from: str | None = None,
    ) -> Agent:
        """Change what an agent's owner may set."""
        wanted = {"display_name": display_name, "capabilities": capabilities, "takes_tasks_from": takes_tasks_from}
        agent: Agent = await self._send("PATCH", "agents", *agent_id.split("/"), **wanted)
        return agent

    async def remove_agent(self, agent_id: str) -> None:
        """Remove an agent for good."""
        await self._send("DELETE", "agents", *agent_id.split("/"))

    async def issue_agent_key(
        self, agent_id: str, *, kind: str = "client", project: str | None = None, expires_at: str | None = None
    ) -> NewToken:
        """A new key of an agent, for its owner and the operator; of kind `project` for one project only."""
        path = ("agents", *agent_id.split("/"), "keys")
        issued: NewToken = await self._send("POST", *path, kind=kind, project=project, expires_at=expires_at)
        return issued

    async def list_agent_keys(self, agent_id: str) -> list[Key]:
        """The keys of an agent."""
        keys: list[Key] = (await self._send("GET", "agents", *agent_id.split("/"), "keys"))["keys"]
        return keys

    async def register_device(
        self,
        name: str,
        *,
        owner: str | None = None,
        slots: int | None = None,
        agents: list[str] | None = None,
        projects: list[str] | None = None,
    ) -> Device:
        """Register a device of the calling person, or of anyone (operator), linked to agents and projects."""
        wanted = {"owner": owner, "slots": slots, "agents": agents, "projects": projects}
        device: Device = await self._send("POST", "devices", name=name, **wanted)
        return device

    async def list_devices(self) -> list[Device]:
        """The devices of the calling person; all of them for the operator."""
        devices: list[Device] = (await self._send("GET", "devices"))["devices"]
        return devices

    async def update_device(
        self,
        device_id: str,
        *,
        name: str | None = None,
        slots: int | None = None,
        agents: list[str] | None = None,
        projects: list[str] | None = None,
    ) -> Device:
        """Change a device; lists are replaced whole."""
        wanted = {"name": name, "slots": slots, "agents": agents, "projects": projects}
        device: Device = await self._send("PATCH", "devices", device_id, **wanted)
        return device

    async def remove_device(self, device_id: str) -> None:
        """Remove a device for good."""
        await self._send("DELETE", "devices", device_id)

    async def issue_device_key(
        self, device_id: str, *, kind: str = "device", expires_at: str | None = None
    ) -> NewToken:
        """A new key of a device, for its owner and the operator; of kind `tasks` the narrow one."""
        issued: NewToken = await self._send("POST", "devices", device_id, "keys", kind=kind, expires_at=expires_at)
        return issued

    async def list_device_keys(self, device_id: str) -> list[Key]:
        """The keys of a device."""
        keys: list[Key] = (await self._send("GET", "devices", device_id, "keys"))["keys"]
        return keys

    async def revoke_key(self, key_id: str) -> None:
        """End a key or token at once; again changes nothing."""
        await self._send("DELETE", "keys", key_id)

    async def create_project(self, slug: str, owner: str, name: str, *, description: str | None = None) -> Project:
        """Create a project of a person (operator)."""
        wanted = {"slug": slug, "owner": owner, "name": name, "description": description}
        project: Project = await self._send("POST", "projects", **wanted)
        return project

    async def list_projects(self) -> list[Project]:
        """The caller's projects, without their memory; all of them for the operator."""
        projects: list[Project] = (await self._send("GET", "projects"))["projects"]
        return projects

    async def get_project(self, slug: str) -> Project:
        """A project with its members and memory."""
        project: Project = await self._send("GET", "projects", slug)
        return project

    async def add_member(self, project: str, address: str) -> Project:
        """Add a person or agent to a project; again changes nothing."""
        changed: Project = await self._send("PUT", "projects", project, "members", *address.split("/"))
        return changed

    async def remove_member(self, project: str, address: str) -> None:
        """Remove a member; with a person go its agents."""
        await self._send("DELETE", "projects", project, "members", *address.split("/"))

    async def write_memory(self, project: str, key: str, value: str) -> MemoryEntry:
        """Write an entry of a project's memory, as one of its people."""
        entry: MemoryEntry = (await self._send("PUT", "projects", project, "memory", key, value=value))["entry"]
        return entry

    async def list_tasks(
        self,
        *,
        role: str | None = None,
        states: list[str] | None = None,
        task_id: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> TaskPage:
        """A page of the caller's tasks; with `task_id` that one whole. Pass `next_cursor` on for the next page."""
        asked = {"role": role, "states": states, "task_id": task_id, "cursor": cursor, "limit": limit}
        page: TaskPage = await self._send("GET", "tasks", **asked)
        return page

    async def list_waiting_tasks(self) -> list[Task]:
        """The tasks from outside that await the calling person's word."""
        tasks: list[Task] = (await self._send("GET", "tasks", "waiting"))["tasks"]
        return tasks

    async def allow_task(self, task_id: str) -> Task:
        """Allow a task from outside to one of the caller's agents."""
        task: Task = (await self._send("POST", "tasks", task_id, "allow"))["task"]
        return task

    async def refuse_task(self, task_id: str, *, reason: str | None = None) -> Task:
        """Refuse it: the task is declined."""
        task: Task = (await self._send("POST", "tasks", task_id, "refuse", reason=reason))["task"]
        return task

    async def list_runs(self, *, after: str | None = None, limit: int | None = None, **filters: str | None) -> RunPage:
        """A page of what the runs of the caller's agents used, newest first.

        Filters: `agent_id`, `task_id`, `project`, `since`, `until`. Pass `next` as `after` for the next page.
        """
        page: RunPage = await self._send("GET", "runs", after=after, limit=limit, **filters)
        return page

    async def sum_runs(self, by: str, **filters: str | None) -> RunTotals:
        """What the runs of the caller's agents used together, by `day`, `agent`, `task` or `outcome`; same filters."""
        totals: RunTotals = await self._send("GET", "runs", "totals", by=by, **filters)
        return totals

    async def _send(self, method: str, *path: str, **said: Any) -> Any:
        given = {name: value for name, value in said.items() if value is not None}
        url = "/".join(quote(part, safe="") for part in path)
        sent: dict[str, Any] = {"params": given} if method == "GET" else {"json": given or None}
        try:
            response = await self._http.request(method, url, **sent)
        except httpx2.HTTPError:
            raise unreachable() from None
        return _answer(response)


def _answer(response: httpx2.Response) -> Any:
    if response.status_code == 204:
        return None
    try:
        said = response.json()
        refused = None if response.is_success else HubError.of(said["error"])
    except (ValueError, KeyError, TypeError):
        raise unexpected(response.status_code) from None
    if refused is not None:
        raise refused
    return said
