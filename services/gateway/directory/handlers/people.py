"""Teams and people, created and removed by the operator."""

from __future__ import annotations

from libs.bus import Work, handles
from libs.contracts import directory as asks
from libs.contracts.caller import Caller
from services.gateway.directory.domain import Person, Team, check_operator, check_slug
from services.gateway.directory.store import agents, devices, keys, people
from services.gateway.directory.store.things import add


@handles(asks.CreateTeam)
async def create_team(command: asks.CreateTeam, caller: Caller, work: Work) -> asks.Team:
    """Create a team, as the operator."""
    check_operator(caller)
    check_slug(command.slug, "slug")
    team = Team(slug=command.slug, created_at=work.now)
    await add(work, team, "Choose another slug; this one was given out before.")
    return team.view()


@handles(asks.ListTeams)
async def list_teams(query: asks.ListTeams, caller: Caller, work: Work) -> asks.Teams:
    """All teams, for the operator."""
    check_operator(caller)
    return asks.Teams(teams=[team.view() for team in await people.teams(work)])


@handles(asks.CreatePerson)
async def create_person(command: asks.CreatePerson, caller: Caller, work: Work) -> asks.Person:
    """Create a person in a team, as the operator (R1)."""
    check_operator(caller)
    check_slug(command.handle, "handle")
    await people.team(work, command.team)
    person = Person(**command.model_dump(), created_at=work.now)
    await add(work, person, "Choose another handle; this one was given out before.")
    return person.view()


@handles(asks.RemovePerson)
async def remove_person(command: asks.RemovePerson, caller: Caller, work: Work) -> asks.Person:
    """Remove a person for good, as the operator: agents, devices and keys go with them."""
    check_operator(caller)
    person = await people.lock_person(work, command.handle, caller)
    owned = await agents.lock_agents_of(work, person.handle)
    person.remove(work.now)
    for agent in owned:
        agent.remove(work.now)
    await keys.revoke_keys_of_owner(work, person.handle)
    work.announce(asks.PersonRemoved(handle=person.handle, agents=[agent.agent_id for agent in owned]))
    for device in await devices.lock_devices_of(work, person.handle):
        device.remove(work.now)
        work.announce(device.changed())
    return person.view()


@handles(asks.ListPeople)
async def list_people(query: asks.ListPeople, caller: Caller, work: Work) -> asks.People:
    """The people of the caller's team; everybody for the operator."""
    return asks.People(people=[person.view() for person in await people.people(work, caller)])
