"""What the operator does so that a hub knows somebody, whether or not it knew them before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from prickle.errors import HubError
from prickle.people import PeopleApi

TEAM = "acme"


def owner_of(address: str) -> str:
    """Whose agent it is; of a person, the person."""
    return address.partition("/")[0]


async def have_person(api: PeopleApi, handle: str, team: str | None) -> None:
    """A person in a team; raises `HubError` when it is in another one than the one named."""
    known = {person["handle"]: person["team"] for person in await api.list_people()}
    if handle not in known:
        await _have_team(api, team or TEAM)
        await api.create_person(handle, team or TEAM, handle.title())
    elif team not in (None, known[handle]):
        raise HubError("conflict", f"Leave {handle} in the team {known[handle]}, or choose another handle.")


async def _have_team(api: PeopleApi, slug: str) -> None:
    if slug not in {team["slug"] for team in await api.list_teams()}:
        await api.create_team(slug)


async def have_agent(api: PeopleApi, address: str, team: str | None, **chosen: Any) -> None:
    """An agent with what was chosen for it, and its owner."""
    await have_person(api, owner_of(address), team)
    if address not in {agent["agent_id"] for agent in await api.list_agents()}:
        await api.create_agent(address, address.rpartition("/")[2].title(), **chosen)
    elif any(choice is not None for choice in chosen.values()):
        await api.update_agent(address, **chosen)


async def have_project(api: PeopleApi, slug: str, owner: str, members: Sequence[str]) -> tuple[str, ...]:
    """A project with these members, agents after their owners, beside those that it has; all of them."""
    people = dict.fromkeys(map(owner_of, (owner, *members)))
    agents = [address for address in members if address not in people]
    for handle in people:
        await have_person(api, handle, None)
    for address in agents:
        await have_agent(api, address, None)
    if slug not in {known["project"]["slug"] for known in await api.list_projects()}:
        await api.create_project(slug, owner, slug)
    for address in (*people, *agents):
        await api.add_member(slug, address)
    return tuple(member["address"] for member in (await api.get_project(slug))["members"])


async def have_device(
    api: PeopleApi, name: str, agents: Sequence[str], projects: Sequence[str], slots: int | None
) -> str:
    """A device of the agents' owner, linked to these agents and projects; its id."""
    owner = owner_of(agents[0])
    links: dict[str, Any] = {"slots": slots, "agents": list(agents), "projects": list(projects)}
    for device in await api.list_devices():
        if (device["owner"], device["name"]) == (owner, name):
            return (await api.update_device(device["device_id"], **links))["device_id"]
    return (await api.register_device(name, owner=owner, **links))["device_id"]
