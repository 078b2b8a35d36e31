"""What the directory answers: fetch, decide, announce, answer."""

from __future__ import annotations

from libs.bus import Work, handles
from libs.contracts import directory as asks
from libs.contracts.caller import Caller
from libs.contracts.types import is_agent, owner_of
from libs.storage import new_id
from services.gateway.directory import store
from services.gateway.directory.domain import (
    Agent,
    Key,
    Person,
    Team,
    check_agent_name,
    check_gateway,
    check_governs,
    check_new_key,
    check_operator,
    check_slug,
)


@handles(asks.CreateTeam)
async def create_team(command: asks.CreateTeam, caller: Caller, work: Work) -> asks.Team:
    """Create a team, as the operator."""
    check_operator(caller)
    check_slug(command.slug, "slug")
    team = Team(slug=command.slug, created_at=work.now)
    await store.add(work, team, "Choose another slug; this one was given out before.")
    return team.view()


@handles(asks.ListTeams)
async def list_teams(query: asks.ListTeams, caller: Caller, work: Work) -> asks.Teams:
    """All teams, for the operator."""
    check_operator(caller)
    return asks.Teams(teams=[team.view() for team in await store.teams(work)])


@handles(asks.CreatePerson)
async def create_person(command: asks.CreatePerson, caller: Caller, work: Work) -> asks.Person:
    """Create a person in a team, as the operator (R1)."""
    check_operator(caller)
    check_slug(command.handle, "handle")
    await store.team(work, command.team)
    person = Person(**command.model_dump(), created_at=work.now)
    await store.add(work, person, "Choose another handle; this one was given out before.")
    return person.view()


@handles(asks.ListPeople)
async def list_people(query: asks.ListPeople, caller: Caller, work: Work) -> asks.People:
    """The people of the caller's team; everybody for the operator."""
    return asks.People(people=[person.view() for person in await store.people(work, caller)])


@handles(asks.CreateAgent)
async def create_agent(command: asks.CreateAgent, caller: Caller, work: Work) -> asks.Agent:
    """Create an agent, as its owner or the operator."""
    check_agent_name(command.agent_id)
    owner = await store.person(work, owner_of(command.agent_id), caller)
    check_governs(caller, command.agent_id)
    agent = Agent(**command.model_dump(), owner=owner.handle, created_at=work.now)
    await store.add(work, agent, "Choose another name; this address was given out before.")
    return agent.view(owner.team)


@handles(asks.UpdateAgent)
async def update_agent(command: asks.UpdateAgent, caller: Caller, work: Work) -> asks.Agent:
    """Change what an agent's owner may set."""
    agent, team = await store.lock_agent(work, command.agent_id, caller)
    check_governs(caller, agent.agent_id)
    agent.change(command)
    return agent.view(team)


@handles(asks.RemoveAgent)
async def remove_agent(command: asks.RemoveAgent, caller: Caller, work: Work) -> asks.Agent:
    """Remove an agent for good, and end its keys."""
    agent, team = await store.lock_agent(work, command.agent_id, caller)
    check_governs(caller, agent.agent_id)
    agent.remove(work.now)
    await store.revoke_keys(work, agent.agent_id)
    work.announce(asks.AgentRemoved(agent_id=agent.agent_id))
    return agent.view(team)


@handles(asks.ListAgents)
async def list_agents(query: asks.ListAgents, caller: Caller, work: Work) -> asks.Agents:
    """The agents of the caller's team; all of them for the operator."""
    return asks.Agents(agents=[agent.view(team) for agent, team in await store.agents(work, caller)])


@handles(asks.DescribeAddresses)
async def describe_addresses(query: asks.DescribeAddresses, caller: Caller, work: Work) -> asks.DescribeMembers:
    """What the caller may see of some addresses; the others are left out."""
    people = await store.people(work, caller, query.addresses)
    agents = await store.agents(work, caller, query.addresses)
    return asks.DescribeMembers(
        people=[person.view() for person in people], agents=[agent.view(team) for agent, team in agents]
    )


@handles(asks.IssueKey)
async def issue_key(command: asks.IssueKey, caller: Caller, work: Work) -> asks.IssuedKey:
    """Record a new credential of an agent or person."""
    check_new_key(command, work.now)
    await _check_manages_keys(work, command.subject, caller)
    key = Key(key_id=new_id("key"), created_at=work.now, **command.model_dump())
    await store.add(work, key, "Issue the key again; the gateway makes a new token each time.")
    return key.issued()


@handles(asks.ListKeys)
async def list_keys(query: asks.ListKeys, caller: Caller, work: Work) -> asks.Keys:
    """The keys of an agent or person, never their tokens."""
    await _check_manages_keys(work, query.subject, caller)
    return asks.Keys(keys=[key.view() for key in await store.keys(work, query.subject)])


async def _check_manages_keys(work: Work, subject: str, caller: Caller) -> None:
    """Refuse an unknown subject, and a caller who does not govern it."""
    if is_agent(subject):
        await store.agent(work, subject, caller)
    elif subject != "operator":
        await store.person(work, subject, caller)
    check_governs(caller, subject)


@handles(asks.RevokeKey)
async def revoke_key(command: asks.RevokeKey, caller: Caller, work: Work) -> asks.Key:
    """End a credential; again changes nothing (R46)."""
    key = await store.lock_key(work, command.key_id, caller)
    key.revoke(work.now)
    return key.view()


@handles(asks.ResolveToken)
async def resolve_token(query: asks.ResolveToken, caller: Caller, work: Work) -> asks.Resolved:
    """Whose token it is, as long as it is live."""
    check_gateway(caller)
    key = await store.live_key(work, query.token_sha256)
    return asks.Resolved(caller=key.caller(), expires_at=key.expires_at) if key else asks.Resolved(caller=None)


@handles(asks.RecordUses)
async def record_uses(command: asks.RecordUses, caller: Caller, work: Work) -> asks.RecordedUses:
    """Remember when credentials were last used."""
    check_gateway(caller)
    keys = await store.keys_by_id(work, command.uses)
    for key in keys:
        key.used(command.uses[key.key_id])
    return asks.RecordedUses(recorded=len(keys))


@handles(asks.GetInstallation)
async def get_installation(command: asks.GetInstallation, caller: Caller, work: Work) -> asks.Installation:
    """The installation's epoch and cursor signing key, made at the first call (R20)."""
    check_gateway(caller)
    return (await store.installation(work)).view()
