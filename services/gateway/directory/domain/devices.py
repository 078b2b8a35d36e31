"""Devices: machines of people, linked to agents and projects (R12)."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlmodel import Field

from libs.contracts import directory as views
from libs.contracts.caller import Caller
from libs.contracts.errors import InvalidInput, NotFound
from libs.contracts.types import owner_of
from libs.storage import JsonValue, UtcDateTime, new_id
from services.gateway.directory.domain.rights import sees_everything
from services.gateway.directory.domain.table import DirectoryTable

LINKS = ("agents", "projects")


class Device(DirectoryTable, table=True):
    """A machine that runs agents of its owner. A removed one stays, linked to nothing."""

    __tablename__ = "devices"

    device_id: str = Field(primary_key=True)
    owner: str = Field(foreign_key="people.handle", index=True)
    name: str
    slots: int
    agents: list[str] = Field(sa_type=JsonValue)
    projects: list[str] = Field(sa_type=JsonValue)
    created_at: datetime = Field(sa_type=UtcDateTime)
    removed_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    version: int = 1
    """Rises with each change, so that those who hear of changes tell old news from new (R42)."""

    @classmethod
    def register(cls, command: views.RegisterDevice, owner: str, now: datetime) -> Device:
        """A new device of a person."""
        said = _each_link_once(command.model_dump(exclude={"owner"}))
        return cls(device_id=new_id("dev"), owner=owner, created_at=now, **said)

    def change(self, command: views.UpdateDevice) -> bool:
        """Take over what was given; whether that changed anything."""
        return self._take(_each_link_once(command.model_dump(exclude={"device_id"}, exclude_none=True)))

    def unlink(self, agent_id: str) -> bool:
        """Let go of an agent that is no more; whether it was linked."""
        return self._take({"agents": [linked for linked in self.agents if linked != agent_id]})

    def remove(self, now: datetime) -> None:
        """End the device for good."""
        self._take({"removed_at": now, "agents": [], "projects": []})

    def _take(self, values: dict[str, Any]) -> bool:
        changes = {name: value for name, value in values.items() if getattr(self, name) != value}
        for name, value in changes.items():
            setattr(self, name, value)
        self.version += bool(changes)
        return bool(changes)

    def changed(self) -> views.DeviceChanged:
        """What the services hear of it: the whole state."""
        return views.DeviceChanged(removed=self.removed_at is not None, **self.model_dump())

    def view(self) -> views.Device:
        """The device as its owner sees it."""
        return views.Device.model_validate(self.model_dump())


def _each_link_once(said: dict[str, Any]) -> dict[str, Any]:
    return {name: sorted(set(value)) if name in LINKS else value for name, value in said.items()}


def owner_of_new_device(command: views.RegisterDevice, caller: Caller) -> str:
    """Whose device is registered: the caller's, unless the operator says whose."""
    if command.owner is None and sees_everything(caller):
        raise InvalidInput("Say whose device it is; you have none yourself.", field="owner")
    return command.owner or caller.person


def check_linked_agents(agent_ids: Collection[str], owner: str, live: Collection[str]) -> None:
    """Refuse agents of others, and those that are none (any more)."""
    for index, agent_id in enumerate(agent_ids):
        if agent_id not in live or owner_of(agent_id) != owner:
            raise NotFound("Link agents of the device's owner, from the list of agents.", field=f"agents[{index}]")
