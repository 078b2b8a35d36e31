"""Devices and their keys."""

from __future__ import annotations

from prickle.people.line import Line
from prickle.views import Device, Key, NewToken


class DevicesApi(Line):
    """The machines that run agents."""

    async def register_device(
        self,
        name: str,
        *,
        owner: str | None = None,
        slots: int | None = None,
        agents: list[str] | None = None,
        projects: list[str] | None = None,
    ) -> Device:
        """Register a device of the calling person, or of anyone (operator), linked to agents and projects."""
        wanted = {"owner": owner, "slots": slots, "agents": agents, "projects": projects}
        device: Device = await self._send("POST", "devices", name=name, **wanted)
        return device

    async def list_devices(self) -> list[Device]:
        """The devices of the calling person; all of them for the operator."""
        devices: list[Device] = (await self._send("GET", "devices"))["devices"]
        return devices

    async def update_device(
        self,
        device_id: str,
        *,
        name: str | None = None,
        slots: int | None = None,
        agents: list[str] | None = None,
        projects: list[str] | None = None,
    ) -> Device:
        """Change a device; lists are replaced whole."""
        wanted = {"name": name, "slots": slots, "agents": agents, "projects": projects}
        device: Device = await self._send("PATCH", "devices", device_id, **wanted)
        return device

    async def remove_device(self, device_id: str) -> None:
        """Remove a device for good."""
        await self._send("DELETE", "devices", device_id)

    async def issue_device_key(
        self, device_id: str, *, kind: str = "device", expires_at: str | None = None
    ) -> NewToken:
        """A new key of a device, for its owner and the operator; of kind `tasks` the narrow one."""
        issued: NewToken = await self._send("POST", "devices", device_id, "keys", kind=kind, expires_at=expires_at)
        return issued

    async def list_device_keys(self, device_id: str) -> list[Key]:
        """The keys of a device."""
        keys: list[Key] = (await self._send("GET", "devices", device_id, "keys"))["keys"]
        return keys
