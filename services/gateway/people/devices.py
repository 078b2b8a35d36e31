"""Devices, by their owners and the operator."""

from __future__ import annotations

from libs.contracts.directory import Device, Devices, ListDevices, RegisterDevice, RemoveDevice, UpdateDevice
from libs.contracts.errors import NotFound
from libs.contracts.rooms import ListProjects
from services.gateway.people.endpoint import endpoint
from services.gateway.session import Session


@endpoint("POST", "/devices", RegisterDevice, status=201)
async def register_device(command: RegisterDevice, session: Session) -> Device:
    """Register a device of the caller, or of anyone as the operator."""
    await _check_projects(command.projects, command.owner, session)
    return await session.ask(command)


@endpoint("GET", "/devices", ListDevices)
async def list_devices(query: ListDevices, session: Session) -> Devices:
    """The devices of the caller; all of them for the operator."""
    return await session.ask(query)


@endpoint("PATCH", "/devices/{device_id}", UpdateDevice)
async def update_device(command: UpdateDevice, session: Session) -> Device:
    """Change a device; what is left out stays, lists are replaced whole."""
    if command.projects:
        await _check_projects(command.projects, await _owner(command.device_id, session), session)
    return await session.ask(command)


@endpoint("DELETE", "/devices/{device_id}", RemoveDevice, status=204)
async def remove_device(command: RemoveDevice, session: Session) -> None:
    """Remove a device for good; its keys end at once on every replica (R46)."""
    await session.ask(command)
    await session.tokens_changed()


async def _owner(device_id: str, session: Session) -> str | None:
    """Whose device it is, if the caller sees it."""
    known = (await session.ask(ListDevices())).devices
    return next((device.owner for device in known if device.device_id == device_id), None)


async def _check_projects(projects: list[str], owner: str | None, session: Session) -> None:
    """Refuse projects that the device's owner is not in, as only rooms knows; a person's devices are their own."""
    if not projects:
        return
    member = session.caller.subject if session.caller.kind == "person" else owner
    own = {room.project.slug for room in (await session.ask(ListProjects(member=member))).projects}
    for index, project in enumerate(projects):
        if project not in own:
            raise NotFound("Link projects that the device's owner is a member of.", field=f"projects[{index}]")
