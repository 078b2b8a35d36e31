"""Handing off, taking and doing tasks."""

from __future__ import annotations

from typing import Any

from libs.contracts.directory import DescribeAddresses
from libs.contracts.errors import NotFound, Problem
from libs.contracts.rooms import CollectHandoffFacts, StoreTaskRequest
from libs.contracts.tasks import (
    AcceptedTask,
    AcceptTask,
    AssigneeFacts,
    CancelledTask,
    CancelTask,
    CheckInbox,
    HandedOff,
    Handoff,
    HandoffContext,
    MadeCheckpoint,
    MakeCheckpoint,
    Offer,
    PacketPreview,
    PreviewPacket,
    ReadInbox,
    ReturnedResult,
    ReturnResult,
)
from services.gateway.cursors import Binding
from services.gateway.session import Session
from services.gateway.tools.registry import tool


@tool
async def handoff(asked: Handoff, session: Session) -> HandedOff:
    """Collect the facts, let tasks open the task, then let rooms store its Task request."""
    facts, refusal = None, None
    try:
        facts = await _facts(asked, session)
    except Problem as problem:
        refusal = problem
    opened = await session.ask(asked.model_copy(update={"facts": facts}), refusal=refusal)
    request = StoreTaskRequest(
        project=opened.task.project,
        message_id=opened.task.message_id,
        task_id=opened.task.task_id,
        requester=opened.task.requester,
        assignee=opened.task.assignee,
        body=opened.task_request,
        held=opened.task.state == "awaiting_owner",
    )
    stored = await session.ask(request)
    return HandedOff(task=opened.task, message=stored.message)


async def _facts(asked: Offer, session: Session) -> AssigneeFacts:
    context = asked.context or HandoffContext()
    query = CollectHandoffFacts(
        project=asked.project,
        assignee=asked.to,
        message_ids=context.message_ids or [],
        memory_keys=context.memory_keys or [],
    )
    room = await session.ask(query)
    known = await session.gateway.describe(DescribeAddresses(addresses=[asked.to]))
    if not known.agents:
        raise NotFound("Hand the task to an agent of this project.", field="to")
    return AssigneeFacts(
        project_owner=room.project_owner,
        takes_tasks_from=known.agents[0].takes_tasks_from,
        messages=room.messages,
        memory=room.memory,
    )


@tool
async def preview_packet(asked: PreviewPacket, session: Session) -> PacketPreview:
    """What handoff would give to the assignee."""
    return await session.ask(asked.model_copy(update={"facts": await _facts(asked, session)}))


@tool
async def check_inbox(asked: CheckInbox, session: Session) -> dict[str, Any]:
    """The caller's tasks, and what awaits its review or answer."""
    binding = Binding("check_inbox", session.caller.subject, _inbox_filter(asked))
    wanted = asked.model_dump(exclude={"cursor"}, exclude_unset=True)
    after = session.cursors.read_current(binding, asked.cursor).decode() if asked.cursor is not None else None
    page = await session.ask(ReadInbox(**wanted, after=after))
    session.meta.update({f"{name}_omitted": count for name, count in page.omitted.items()})
    return {
        "tasks": [task.wire() for task in page.tasks],
        "reviews": [review.wire() for review in page.reviews],
        "requests": [request.wire() for request in page.requests],
        "next_cursor": session.cursors.write(binding, page.last.encode()) if page.last is not None else None,
    }


def _inbox_filter(asked: CheckInbox) -> str:
    states = ",".join(sorted(set(asked.states))) if asked.states else ""
    return f"{asked.project}|{asked.role}|{states}"


@tool
async def accept_task(asked: AcceptTask, session: Session) -> AcceptedTask:
    """Take or decline a task."""
    return await session.ask(asked)


@tool
async def checkpoint(asked: MakeCheckpoint, session: Session) -> MadeCheckpoint:
    """Renew the attempt and tell the requester how far it is."""
    return await session.ask(asked)


@tool
async def return_result(asked: ReturnResult, session: Session) -> ReturnedResult:
    """Return a result."""
    return await session.ask(asked)


@tool
async def cancel_task(asked: CancelTask, session: Session) -> CancelledTask:
    """End a task."""
    return await session.ask(asked)
