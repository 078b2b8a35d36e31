"""Asking the requester or the owner, and their answers (R7)."""

from __future__ import annotations

from libs.bus import Work, handles
from libs.contracts.caller import Caller
from libs.contracts.errors import Conflict
from libs.contracts.tasks import (
    AnswerClarification,
    ApprovedCapabilities,
    ApprovedCapability,
    Capabilities,
    DecidedRequest,
    DecideRequest,
    ListRequests,
    OpenedRequest,
    RequestCapability,
    RequestClarification,
    Requests,
    RequestStep,
)
from libs.contracts.types import owner_of
from services.tasks.domain import Request, Task
from services.tasks.domain.requests import capability, clarification, step
from services.tasks.domain.whole import ANSWER_BYTES, Room
from services.tasks.handlers.notices import announce_end, tell, tell_request, tell_requested
from services.tasks.store.attempts import held_attempt
from services.tasks.store.requests import (
    add_request,
    approved_capabilities,
    is_awaiting,
    lock_request,
    requests_awaiting,
)
from services.tasks.store.tasks import lock_task


@handles(RequestClarification)
async def request_clarification(command: RequestClarification, caller: Caller, work: Work) -> OpenedRequest:
    """Ask the requester of the caller's task, which waits for the answer (R7)."""
    task = await _held_task(command.task_id, command.attempt_id, caller, work)
    return await _open(clarification(command, task, caller, work.now), task, work)


@handles(RequestCapability)
async def request_capability(command: RequestCapability, caller: Caller, work: Work) -> OpenedRequest:
    """Ask the caller's owner to allow something."""
    task = await _named_task(command, caller, work)
    return await _open(capability(command, task, caller, work.now), task, work)


@handles(RequestStep)
async def request_step(command: RequestStep, caller: Caller, work: Work) -> OpenedRequest:
    """Ask the caller's owner to do something; a task may wait for it (R7)."""
    task = await _named_task(command, caller, work)
    return await _open(step(command, task, caller, work.now), task, work)


async def _named_task(command: RequestCapability | RequestStep, caller: Caller, work: Work) -> Task | None:
    """The task that is named; a run's own when none is."""
    task_id = command.task_id or (caller.run.task_id if caller.run is not None else None)
    return None if task_id is None else await _held_task(task_id, command.attempt_id, caller, work)


async def _held_task(task_id: str, attempt_id: str | None, caller: Caller, work: Work) -> Task:
    """The task that the caller holds, renewed like by every call that names its attempt (R3)."""
    task = await lock_task(work, task_id, caller)
    (await held_attempt(work, task, attempt_id, caller)).renew(work.now, work.policy)
    return task


async def _open(request: Request, task: Task | None, work: Work) -> OpenedRequest:
    if task is not None and request.blocks:
        task.wait(request.what, work.now)
        if request.awaits != task.requester:
            tell(work, task.requester, "task_updated", task)
    await add_request(work, request)
    tell_request(work, request.awaits, "request_opened", request)
    return OpenedRequest(request=request.view())


@handles(AnswerClarification)
async def answer_clarification(command: AnswerClarification, caller: Caller, work: Work) -> DecidedRequest:
    """Answer for the requester's side; the first answer stands (R7)."""
    request, task = await lock_request(work, command.request_id, caller)
    if task is None:
        raise Conflict("Leave this request to the agent's owner: it is no clarification.")
    if request.answered(command, caller, task):
        await _tell_decided(request, task, caller, work)
    return DecidedRequest(request=request.view())


@handles(DecideRequest)
async def decide_request(command: DecideRequest, caller: Caller, work: Work) -> DecidedRequest:
    """Decide for the asking agent's owner; the first decision stands."""
    request, task = await lock_request(work, command.request_id, caller)
    if request.decide(command, caller, work.now, work.policy):
        await _tell_decided(request, task, caller, work)
    return DecidedRequest(request=request.view())


async def _tell_decided(request: Request, task: Task | None, caller: Caller, work: Work) -> None:
    tell_request(work, request.asked_by, "request_decided", request)
    if task is not None and request.blocks and not await is_awaiting(work, task):
        await _go_on(task, request.answer, caller, work)


async def _go_on(task: Task, answer: str | None, caller: Caller, work: Work) -> None:
    """Let a task go on that waits for nothing more; a run whose time is up has ended while it waited (R3)."""
    ended = task.lapse(work.now, work.policy)
    if ended is not None:
        announce_end(work, task, ended)
    task.resume(answer, work.now, work.policy)
    if caller.subject != task.requester:
        tell(work, task.requester, "task_updated", task)
    if task.state == "requested":
        await tell_requested(work, [task])


@handles(ListRequests)
async def list_requests(query: ListRequests, caller: Caller, work: Work) -> Requests:
    """What the caller is to answer, or was."""
    found = await requests_awaiting(work, query, caller)
    shown = Room(ANSWER_BYTES).take([request.view() for request in found[: query.limit]])
    return Requests(requests=shown, last=shown[-1].request_id if len(shown) < len(found) else None)


@handles(ApprovedCapabilities)
async def read_capabilities(query: ApprovedCapabilities, caller: Caller, work: Work) -> Capabilities:
    """What agents of the caller's person may do until it ends; those of others are left out."""
    own = [agent for agent in query.agent_ids if owner_of(agent) == caller.person]
    approved = await approved_capabilities(work, own)
    return Capabilities(
        capabilities=[
            ApprovedCapability.model_validate(
                {
                    "agent_id": request.asked_by,
                    "project": request.project,
                    "capability": request.what,
                    "expires_at": request.expires_at,
                }
            )
            for request in approved
        ]
    )
