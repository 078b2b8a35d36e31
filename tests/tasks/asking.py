"""What agents ask while they work, and what they are told, over the real bus."""

from __future__ import annotations

from typing import Any

from libs.contracts.caller import Caller
from libs.contracts.tasks import (
    AnswerClarification,
    Attempt,
    DecideRequest,
    Request,
    RequestCapability,
    RequestClarification,
    RequestDecision,
    RequestStep,
)
from tests.tasks.desk import Desk


async def ask(desk: Desk, attempt: Attempt | None = None, by: Caller | str | None = None, **said: Any) -> Request:
    """Claude's question about the task that it holds, or about a new one."""
    command = RequestClarification(**{**named(attempt or await desk.take()), "question": "Which form?", **said})
    return (await desk.hub.ask(command, by or desk.claude)).request


async def want(desk: Desk, attempt: Attempt | None = None, by: Caller | str | None = None, **said: Any) -> Request:
    """Claude's wish for a capability, perhaps for the task that it holds."""
    plain = {"project": "website", "capability": "network:pypi", "reason": "To install ruff."}
    command = RequestCapability(**{**plain, **named(attempt), **said})
    return (await desk.hub.ask(command, by or desk.claude)).request


async def need(desk: Desk, attempt: Attempt | None = None, by: Caller | str | None = None, **said: Any) -> Request:
    """A step that claude needs, perhaps for the task that it holds."""
    plain = {"project": "website", "step": "Plug the phone in.", "why": "To test on it."}
    return (await desk.hub.ask(RequestStep(**{**plain, **named(attempt), **said}), by or desk.claude)).request


def named(attempt: Attempt | None) -> dict[str, str]:
    """How a call names an attempt."""
    return {} if attempt is None else {"task_id": attempt.task_id, "attempt_id": attempt.attempt_id}


async def answer(desk: Desk, request: Request, text: str = "The small one.", by: str | None = None) -> Request:
    """The answer of codex (or of `by`) to a question."""
    command = AnswerClarification(request_id=request.request_id, answer=text)
    return (await desk.hub.ask(command, by or desk.codex)).request


async def decide(
    desk: Desk, request: Request, decision: RequestDecision, by: str | None = None, **said: Any
) -> Request:
    """What jonas (or `by`) says to a request of his claude."""
    command = DecideRequest(request_id=request.request_id, decision=decision, **said)
    return (await desk.hub.ask(command, by or desk.jonas)).request
