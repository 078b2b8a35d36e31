"""Accepting and rejecting results."""

from __future__ import annotations

from libs.contracts.tasks import AcceptResult, RejectResult, ReturnedResult
from services.gateway.session import Session
from services.gateway.tools.registry import tool


@tool
async def accept_result(asked: AcceptResult, session: Session) -> ReturnedResult:
    """Accept a result."""
    return await session.ask(asked)


@tool
async def reject_result(asked: RejectResult, session: Session) -> ReturnedResult:
    """Reject a result."""
    return await session.ask(asked)
