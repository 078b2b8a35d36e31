"""Who is in a project and what they are doing."""

from __future__ import annotations

from typing import Any

import orjson

from libs.contracts.directory import Agent, DescribeAddresses
from libs.contracts.errors import NotFound
from libs.contracts.pulse import GetPulses, Pulse, PulseMember
from libs.contracts.rooms import GetProject, ListProjects, Member, ProjectRoom
from libs.contracts.tasks import ApprovedCapabilities
from libs.contracts.team import DiscoverTeamAgents, GetProjectContext, TeamAgent
from libs.contracts.types import owner_of
from services.gateway.cursors import Binding
from services.gateway.session import NOT_YOUR_PROJECT, Session
from services.gateway.tools.registry import tool

RESULT_BYTES = 62 * 1024
MOST_CAPABILITIES = 50
REACHABLE = frozenset({"online", "working", "idle"})


@tool
async def get_project_context(asked: GetProjectContext, session: Session) -> dict[str, Any]:
    """A project's memory, pulse and members, cut to size in that order of sacrifice."""
    room = await session.ask(GetProject(project=asked.project))
    members = [pulse_member(member, asked.project) for member in room.members if member.kind == "agent"]
    pulses = await session.ask(GetPulses(members=members))
    context = {
        "project": room.project.wire(),
        "memory": [entry.wire() for entry in room.memory],
        "pulse": [pulse.wire() for pulse in pulses.pulses],
        "members": [_member_view(member, session) for member in room.members],
    }
    session.meta.update(fit(context))
    return context


def pulse_member(member: Member, project: str) -> PulseMember:
    """An agent as pulse is asked for it."""
    return PulseMember(agent_id=member.address, project=project, joined_at=member.joined_at)


def _member_view(member: Member, session: Session) -> dict[str, Any]:
    view: dict[str, Any] = {
        "kind": member.kind,
        "address": member.address,
        "display_name": member.display_name,
        "is_you": member.address == session.caller.subject,
    }
    return {**view, "owner": owner_of(member.address)} if member.kind == "agent" else view


def fit(context: dict[str, Any]) -> dict[str, int]:
    """Cut a context to the size limit: memory first, then paths in pulses, pulses, members; what was left out.

    Newest memory stays longest; the project itself always stays.
    """
    omitted: dict[str, int] = {}
    over = len(orjson.dumps(context)) - RESULT_BYTES
    over = _drop_last(context["memory"], over, "memory_omitted", omitted)
    if over > 0:
        over -= _drop_paths(context["pulse"], omitted)
    over = _drop_last(context["pulse"], over, "pulse_omitted", omitted)
    _drop_last(context["members"], over, "members_omitted", omitted)
    return omitted


def _drop_last(items: list[Any], over: int, name: str, omitted: dict[str, int]) -> int:
    while over > 0 and items:
        over -= len(orjson.dumps(items.pop())) + 1
        omitted[name] = omitted.get(name, 0) + 1
    return over


def _drop_paths(pulses: list[dict[str, Any]], omitted: dict[str, int]) -> int:
    """Leave out the files of pulses and the paths of their intents."""
    files = [pulse["files"] for pulse in pulses]
    paths = [pulse["intent"]["paths"] for pulse in pulses if "intent" in pulse]
    omitted |= {"files_omitted": sum(map(len, files))} | (
        {"intent_paths_omitted": sum(map(len, paths))} if paths else {}
    )
    saved = sum(len(orjson.dumps(cut)) - 2 for cut in files + paths)
    for cut in files + paths:
        cut.clear()
    return saved


@tool
async def discover_team_agents(asked: DiscoverTeamAgents, session: Session) -> dict[str, Any]:
    """The agents that share a project with the caller, in the order of their addresses."""
    binding = Binding("discover_team_agents", session.caller.subject, _filter(asked))
    after = session.cursors.read_current(binding, asked.cursor).decode() if asked.cursor is not None else ""
    rooms = (await session.ask(ListProjects(member=session.caller.subject))).projects
    shared = _shared(rooms, asked.project)
    known = await session.gateway.describe(DescribeAddresses(addresses=sorted(shared)))
    pulses = await _latest_pulses(shared, session)
    ready = set(await session.gateway.agents_with_runner(sorted(shared)))
    approved = await _approved(sorted(shared), session)
    agents = [_team_agent(agent, shared, pulses, ready, session) for agent in known.agents if agent.agent_id > after]
    agents = [_with_approved(agent, approved.get(agent.agent_id, [])) for agent in agents]
    found = sorted((agent for agent in agents if _matches(agent, asked)), key=lambda agent: agent.agent_id)
    page = _fitting(found[: asked.limit])
    more = len(found) > len(page)
    return {
        "agents": [agent.wire() for agent in page],
        "next_cursor": session.cursors.write(binding, page[-1].agent_id.encode()) if more else None,
    }


def _fitting(agents: list[TeamAgent]) -> list[TeamAgent]:
    """As many of the first agents as fit into a page: one at least."""
    room = RESULT_BYTES
    for count, agent in enumerate(agents):
        room -= len(orjson.dumps(agent.wire())) + 1
        if room < 0 and count:
            return agents[:count]
    return agents


def _filter(asked: DiscoverTeamAgents) -> str:
    return f"{asked.project}|{asked.capability}|{asked.available}"


def _shared(rooms: list[ProjectRoom], project: str | None) -> dict[str, list[PulseMember]]:
    """Per agent its memberships in the projects looked at."""
    if project is not None:
        rooms = [room for room in rooms if room.project.slug == project]
        if not rooms:
            raise NotFound(NOT_YOUR_PROJECT, field="project")
    shared: dict[str, list[PulseMember]] = {}
    for room in rooms:
        for member in room.members:
            if member.kind == "agent":
                shared.setdefault(member.address, []).append(pulse_member(member, room.project.slug))
    return shared


async def _latest_pulses(shared: dict[str, list[PulseMember]], session: Session) -> dict[str, Pulse]:
    """Per agent the pulse of the shared project that it reported from last; joining one is no report."""
    members = [member for memberships in shared.values() for member in memberships]
    pulses = (await session.ask(GetPulses(members=members))).pulses
    reports = zip(pulses, members, strict=True)
    ranked = sorted(reports, key=lambda report: (report[0].updated_at > report[1].joined_at, report[0].updated_at))
    return {pulse.agent_id: pulse for pulse, _ in ranked}


def _team_agent(
    agent: Agent, shared: dict[str, list[PulseMember]], pulses: dict[str, Pulse], ready: set[str], session: Session
) -> TeamAgent:
    pulse = pulses[agent.agent_id]
    return TeamAgent(
        agent_id=agent.agent_id,
        owner=agent.owner,
        display_name=agent.display_name,
        capabilities=agent.capabilities,
        availability=pulse.availability,
        doing=pulse.doing,
        projects=sorted(member.project for member in shared[agent.agent_id]),
        takes_tasks_from=agent.takes_tasks_from,
        runner_online=agent.agent_id in ready,
        is_you=agent.agent_id == session.caller.subject,
    )


async def _approved(agents: list[str], session: Session) -> dict[str, list[str]]:
    """The capabilities that were approved for agents of the caller's owner and have not ended."""
    approved = await session.ask(ApprovedCapabilities(agent_ids=agents))
    found: dict[str, list[str]] = {}
    for one in approved.capabilities:
        found.setdefault(one.agent_id, []).append(one.capability)
    return found


def _with_approved(agent: TeamAgent, approved: list[str]) -> TeamAgent:
    labels = list(dict.fromkeys([*agent.capabilities, *approved]))
    return agent.model_copy(update={"capabilities": labels[:MOST_CAPABILITIES]}) if approved else agent


def _matches(agent: TeamAgent, asked: DiscoverTeamAgents) -> bool:
    if asked.capability is not None and asked.capability not in agent.capabilities:
        return False
    return asked.available is None or asked.available == (agent.availability in REACHABLE)
