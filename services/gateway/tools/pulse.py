"""What the caller is doing."""

from __future__ import annotations

from libs.contracts.errors import NotFound
from libs.contracts.pulse import UpdatedPulse, UpdatePulse
from services.gateway.session import NOT_YOUR_PROJECT, Session
from services.gateway.tools.registry import tool


@tool
async def update_pulse(asked: UpdatePulse, session: Session) -> UpdatedPulse:
    """Tell the project what the caller is doing; pulse does not know who is in it."""
    refusal = None if await session.is_member(asked.project) else NotFound(NOT_YOUR_PROJECT, field="project")
    return await session.ask(asked, refusal=refusal)
