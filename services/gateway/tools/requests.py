"""Asking the requester of a task, or the caller's owner, and answering assignees."""

from __future__ import annotations

from libs.contracts.tasks import (
    AnswerClarification,
    DecidedRequest,
    OpenedRequest,
    RequestCapability,
    RequestClarification,
    RequestStep,
)
from services.gateway.session import Session
from services.gateway.tools.registry import tool


@tool
async def request_clarification(asked: RequestClarification, session: Session) -> OpenedRequest:
    """Ask the requester of the caller's task."""
    return await session.ask(asked)


@tool
async def answer_clarification(asked: AnswerClarification, session: Session) -> DecidedRequest:
    """Answer an assignee."""
    return await session.ask(asked)


@tool
async def request_capability(asked: RequestCapability, session: Session) -> OpenedRequest:
    """Ask the caller's owner to allow something; tasks does not know who is in the project."""
    return await session.ask(asked, refusal=await session.unless_member(asked.project))


@tool
async def request_step(asked: RequestStep, session: Session) -> OpenedRequest:
    """Ask the caller's owner to do something; tasks does not know who is in the project."""
    return await session.ask(asked, refusal=await session.unless_member(asked.project))
