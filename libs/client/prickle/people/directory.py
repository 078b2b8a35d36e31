"""Teams, people, agents and their keys."""

from __future__ import annotations

from prickle.people.line import Line
from prickle.views import Agent, Key, NewToken, Person, Team


class DirectoryApi(Line):
    """Who is known to the hub."""

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

    async def remove_person(self, handle: str) -> None:
        """Remove a person for good, with agents and devices (operator)."""
        await self._send("DELETE", "people", handle)

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

    async def revoke_key(self, key_id: str) -> None:
        """End a key or token at once; again changes nothing."""
        await self._send("DELETE", "keys", key_id)
