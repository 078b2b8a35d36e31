"""`prickle device`: the machines that run your agents."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from prickle.commands.showing import fields, rows, sentence
from prickle.commands.talking import asks_api
from prickle.people import PeopleApi

DEVICE_FIELDS = ("device_id", "name", "slots", "agents", "projects")

DeviceId = Annotated[str, typer.Argument(metavar="DEVICE", help="The device's id, as listed.")]
Slots = Annotated[
    int | None, typer.Option(min=1, max=64, help="How many runs of tasks it takes at once; 1 by default.")
]
AgentIds = Annotated[
    list[str] | None,
    typer.Option("--agent", metavar="OWNER/NAME", help="An agent whose tasks it runs; may be repeated."),
]
Projects = Annotated[
    list[str] | None, typer.Option("--project", help="A project in which it runs them; may be repeated.")
]

device = typer.Typer(no_args_is_help=True, help="The machines that run your agents.")


def register(app: typer.Typer) -> None:
    """Add the group to the command line."""
    app.add_typer(device, name="device")


@device.command("add")
@asks_api(shows=fields(*DEVICE_FIELDS))
async def add_device(
    api: PeopleApi,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What you call it, such as laptop.")],
    slots: Slots = None,
    agents: AgentIds = None,
    projects: Projects = None,
    owner: Annotated[str | None, typer.Option(help="Whose it is (operator); you by default.")] = None,
) -> Any:
    """Register a device; `prickle keys issue` with its id then prints its key."""
    return await api.register_device(name, owner=owner, slots=slots, agents=agents, projects=projects)


@device.command("list")
@asks_api(shows=rows("device_id", "owner", *DEVICE_FIELDS[1:]))
async def list_devices(api: PeopleApi) -> Any:
    """List your devices; all of them for the operator."""
    return await api.list_devices()


@device.command("update")
@asks_api(shows=fields(*DEVICE_FIELDS))
async def update_device(
    api: PeopleApi,
    device_id: DeviceId,
    name: Annotated[str | None, typer.Option(help="What you call it.")] = None,
    slots: Slots = None,
    agents: AgentIds = None,
    projects: Projects = None,
    no_agents: Annotated[bool, typer.Option("--no-agents", help="Run no agent's tasks.")] = False,
    no_projects: Annotated[bool, typer.Option("--no-projects", help="Run them in no project.")] = False,
) -> Any:
    """Change a device; the agents and projects that you name replace the former ones."""
    links = {"agents": _linked(agents, none=no_agents), "projects": _linked(projects, none=no_projects)}
    return await api.update_device(device_id, name=name, slots=slots, **links)


def _linked(named: list[str] | None, *, none: bool) -> list[str] | None:
    """All that are linked from now on; None leaves them as they are."""
    return [] if none else named or None


@device.command("remove")
@asks_api(shows=sentence("Removed; its keys have ended."))
async def remove_device(api: PeopleApi, device_id: DeviceId) -> Any:
    """Remove a device for good."""
    return await api.remove_device(device_id)
