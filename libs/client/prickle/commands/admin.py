"""`prickle admin`: what the operator sets up, and what persons do with their own agents."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from prickle.commands.showing import fields, new_token, rows, sentence
from prickle.commands.talking import asks_api
from prickle.errors import HubError
from prickle.people import PeopleApi

AGENT_FIELDS = ("agent_id", "team", "display_name", "capabilities", "takes_tasks_from")
LETTER_FIELDS = ("service", "event_id", "event", "deliveries", "died_at", "error")
PROJECT_FIELDS = ("project.slug", "project.team", "owner", "project.name")

Slug = Annotated[
    str, typer.Argument(metavar="SLUG", help="Lowercase letters, digits and single hyphens, such as website-v2.")
]
Handle = Annotated[str, typer.Argument(metavar="HANDLE", help="A person's handle, such as maya.")]
AgentId = Annotated[str, typer.Argument(metavar="OWNER/NAME", help="An agent's address, such as maya/codex.")]
Address = Annotated[str, typer.Argument(metavar="ADDRESS", help="A person's handle or an agent's address.")]
Name = Annotated[str | None, typer.Option(help="The name that others read; like the address by default.")]
Service = Annotated[str, typer.Argument(metavar="SERVICE", help="One of rooms, tasks, pulse, runs.")]
EventId = Annotated[str, typer.Argument(metavar="EVENT_ID", help="The event's id, as listed.")]
ExpiresAt = Annotated[
    str | None, typer.Option(metavar="TIME", help="When it ends by itself, such as 2026-12-31T23:59:59Z.")
]


def register(app: typer.Typer) -> None:
    """Add the group to the command line."""
    admin = typer.Typer(no_args_is_help=True, help="Teams, people, agents, projects and their members.")
    for name, group in (("team", team), ("person", person), ("agent", agent), ("project", project), ("member", member)):
        admin.add_typer(group, name=name)
    admin.command("dead-letters")(list_dead_letters)
    admin.command("replay")(replay_event)
    app.add_typer(admin, name="admin")


team = typer.Typer(no_args_is_help=True, help="Teams (operator).")
person = typer.Typer(no_args_is_help=True, help="People and their tokens.")
agent = typer.Typer(no_args_is_help=True, help="Agents, by their owner or the operator.")
project = typer.Typer(no_args_is_help=True, help="Projects.")
member = typer.Typer(no_args_is_help=True, help="Members of a project.")


@team.command("add")
@asks_api(shows=fields("slug"))
async def add_team(api: PeopleApi, slug: Slug) -> Any:
    """Create a team."""
    return await api.create_team(slug)


@team.command("list")
@asks_api(shows=rows("slug", "created_at"))
async def list_teams(api: PeopleApi) -> Any:
    """List all teams."""
    return await api.list_teams()


@person.command("add")
@asks_api(shows=fields("handle", "team", "display_name"))
async def add_person(
    api: PeopleApi, handle: Handle, team: Annotated[str, typer.Option(help="The person's team.")], name: Name = None
) -> Any:
    """Create a person in a team."""
    return await api.create_person(handle, team, name or handle)


@person.command("list")
@asks_api(shows=rows("handle", "team", "display_name"))
async def list_people(api: PeopleApi) -> Any:
    """List the people of your team; everybody for the operator."""
    return await api.list_people()


@person.command("token")
@asks_api(shows=new_token)
async def issue_person_token(api: PeopleApi, handle: Handle, expires_at: ExpiresAt = None) -> Any:
    """Issue a token with which a person calls the HTTP API and this command."""
    return await api.issue_person_token(handle, expires_at=expires_at)


@person.command("remove")
@asks_api(shows=sentence("Removed, with agents and devices; their keys have ended and no address is given out again."))
async def remove_person(api: PeopleApi, handle: Handle) -> Any:
    """Remove a person for good (operator)."""
    return await api.remove_person(handle)


@agent.command("add")
@asks_api(shows=fields(*AGENT_FIELDS))
async def add_agent(
    api: PeopleApi,
    agent_id: AgentId,
    name: Name = None,
    capability: Annotated[list[str] | None, typer.Option(help="A label of what it can do; may be repeated.")] = None,
    takes_tasks_from: Annotated[str | None, typer.Option(help="owner (the default) or team.")] = None,
) -> Any:
    """Create an agent of yours; of anyone as the operator."""
    return await api.create_agent(
        agent_id, name or agent_id.rpartition("/")[2], capabilities=capability, takes_tasks_from=takes_tasks_from
    )


@agent.command("list")
@asks_api(shows=rows(*AGENT_FIELDS))
async def list_agents(api: PeopleApi) -> Any:
    """List the agents of your team; all of them for the operator."""
    return await api.list_agents()


@agent.command("remove")
@asks_api(shows=sentence("Removed; its keys have ended and its address is not given out again."))
async def remove_agent(api: PeopleApi, agent_id: AgentId) -> Any:
    """Remove an agent for good."""
    return await api.remove_agent(agent_id)


@project.command("add")
@asks_api(shows=fields(*PROJECT_FIELDS))
async def add_project(
    api: PeopleApi,
    slug: Slug,
    owner: Annotated[str, typer.Option(help="The person it belongs to, its first member.")],
    name: Name = None,
    description: Annotated[str | None, typer.Option(help="What it is about.")] = None,
) -> Any:
    """Create a project (operator); its team is its owner's."""
    return await api.create_project(slug, owner, name or slug, description=description)


@project.command("list")
@asks_api(shows=rows(*PROJECT_FIELDS))
async def list_projects(api: PeopleApi) -> Any:
    """List your projects; all of them for the operator."""
    return await api.list_projects()


@member.command("add")
@asks_api(shows=lambda project: rows("address", "kind", "display_name")(project["members"]))
async def add_member(api: PeopleApi, project: Slug, address: Address) -> Any:
    """Add a person, or an agent whose owner is a member, to a project."""
    return await api.add_member(project, address)


@member.command("remove")
@asks_api(shows=sentence("Removed."))
async def remove_member(api: PeopleApi, project: Slug, address: Address) -> Any:
    """Remove a member from a project; with a person go its agents."""
    return await api.remove_member(project, address)


@asks_api(shows=lambda page: rows(*LETTER_FIELDS)(page["dead_letters"]))
async def list_dead_letters(
    api: PeopleApi,
    service: Annotated[str | None, typer.Argument(metavar="SERVICE", help="One of them; all by default.")] = None,
) -> Any:
    """List the events that services could not handle (operator)."""
    return await api.list_dead_letters(service)


@asks_api(shows=sentence("Handled."))
async def replay_event(api: PeopleApi, service: Service, event_id: EventId) -> Any:
    """Have a service handle one of them again (operator)."""
    replayed = await api.replay_event(service, event_id)
    if not replayed["handled"]:
        raise HubError("conflict", str(replayed["error"]))
    return replayed
