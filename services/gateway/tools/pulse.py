"""What the caller is doing."""

from __future__ import annotations

from libs.contracts.caller import SYSTEM
from libs.contracts.errors import NotFound, Problem, RoomNotLinked
from libs.contracts.pulse import UpdatedPulse, UpdatePulse
from libs.contracts.rooms import ListProjects
from services.gateway.session import Session
from services.gateway.tools.registry import tool


@tool
async def update_pulse(asked: UpdatePulse, session: Session) -> UpdatedPulse:
    """Tell the project what the caller is doing; pulse does not know who is in it."""
    return await session.ask(asked, refusal=await _refusal(asked, session))


async def _refusal(asked: UpdatePulse, session: Session) -> Problem | None:
    device = await session.device_facts()
    if device is None:
        return await session.unless_member(asked.project)
    if asked.agent_id not in device.agents:
        return NotFound("Name an agent that is linked to this device.", field="agent_id")
    if asked.project not in device.projects:
        return RoomNotLinked("Link the project to this device first.", field="project")
    rooms = await session.gateway.ask(ListProjects(member=asked.agent_id), SYSTEM)
    if asked.project not in [room.project.slug for room in rooms.projects]:
        return NotFound("Name one of the agent's projects.", field="project")
    return None
