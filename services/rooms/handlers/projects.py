"""Projects and who is in them."""

from __future__ import annotations

from libs.bus import Work, consumes, handles
from libs.contracts.caller import Caller
from libs.contracts.directory import AgentChanged, AgentRemoved, PersonRemoved
from libs.contracts.errors import Forbidden
from libs.contracts.rooms import (
    AddMember,
    CreateProject,
    GetProject,
    ListProjects,
    ProjectRoom,
    ProjectRooms,
    RemoveMember,
)
from services.rooms.domain import Project, Roster, runs_the_hub, whose_projects
from services.rooms.handlers.devices import member_behind
from services.rooms.store.memory import list_entries
from services.rooms.store.projects import (
    find_project,
    keep_members,
    keep_project,
    list_rosters,
    lock_roster,
    memberships,
    read_roster,
    rename,
)


@handles(CreateProject)
async def create_project(command: CreateProject, caller: Caller, work: Work) -> ProjectRoom:
    """Create a project with its owner as the first member; with the same data again it changes nothing."""
    if not runs_the_hub(caller):
        raise Forbidden("Ask the operator, who alone creates projects.")
    existing = await find_project(work, command.slug)
    if existing is not None:
        existing.refuse_other_data(command)
        return await whole(await read_roster(work, command.slug), work)
    empty = Roster(Project.create(command, work.now), [])
    roster = empty.with_new(command.owner, command.owner_display_name, work.now)
    await keep_project(work, roster)
    return roster.view([])


@handles(AddMember)
async def add_member(command: AddMember, caller: Caller, work: Work) -> ProjectRoom:
    """Add a person or agent of the team, for the project's owner or the operator (R1)."""
    roster = await lock_roster(work, command.project)
    roster.refuse_all_but_owner(caller)
    roster = roster.add(command, work.now)
    keep_members(work, roster)
    return await whole(roster, work)


@handles(RemoveMember)
async def remove_member(command: RemoveMember, caller: Caller, work: Work) -> ProjectRoom:
    """Remove a member, and with a person its agents; their mailboxes are kept (R1, R26)."""
    roster = await lock_roster(work, command.project)
    roster.refuse_all_but_owner(caller)
    roster.remove(command.address, work.now)
    return await whole(roster, work)


@handles(GetProject)
async def get_project(query: GetProject, caller: Caller, work: Work) -> ProjectRoom:
    """Show a member its project with members and memory, and a device a project that it is linked to."""
    roster = await read_roster(work, query.project)
    roster.refuse_outsiders(caller, await member_behind(caller, query.project, work))
    return await whole(roster, work)


@handles(ListProjects)
async def list_projects(query: ListProjects, caller: Caller, work: Work) -> ProjectRooms:
    """List projects with their members, without memory."""
    rosters = await list_rosters(work, whose_projects(query, caller))
    return ProjectRooms(projects=[roster.view([]) for roster in rosters])


@consumes(AgentRemoved, by="rooms")
async def end_memberships(event: AgentRemoved, work: Work) -> None:
    """Take an agent that was removed for good out of all projects."""
    for member in await memberships(work, event.agent_id):
        member.leave(work.now)


@consumes(AgentChanged, by="rooms")
async def follow_name(event: AgentChanged, work: Work) -> None:
    """Show an agent by its new name; what it wrote before keeps the old one, and old news changes nothing (R42)."""
    await rename(work, event)


@consumes(PersonRemoved, by="rooms")
async def forget_person(event: PersonRemoved, work: Work) -> None:
    """Take a person who was removed for good out of all projects, with their agents; others own what they owned."""
    for member in await memberships(work, event.handle):
        (await lock_roster(work, member.project)).forget(event.handle, work.now)


async def whole(roster: Roster, work: Work) -> ProjectRoom:
    """A project with its memory."""
    entries = await list_entries(work, roster.project.slug)
    return roster.view([entry.view() for entry in entries])
