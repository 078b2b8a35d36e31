"""Asking the requester of a task, or the caller's owner, and answering assignees."""

from __future__ import annotations

from libs.contracts.errors import NotFound, Problem
from libs.contracts.tasks import (
    AnswerClarification,
    DecidedRequest,
    OpenedRequest,
    RequestCapability,
    RequestClarification,
    RequestStep,
)
from services.gateway.session import NOT_YOUR_PROJECT, Session
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
    return await session.ask(asked, refusal=await _refusal(asked.project, session))


@tool
async def request_step(asked: RequestStep, session: Session) -> OpenedRequest:
    """Ask the caller's owner to do something; tasks does not know who is in the project."""
    return await session.ask(asked, refusal=await _refusal(asked.project, session))


async def _refusal(project: str, session: Session) -> Problem | None:
    mine = await session.is_member(project)
    return None if mine else NotFound(NOT_YOUR_PROJECT, field="project")
