"""Handoffs: what may be handed to whom, and the Task request that says so in the room."""

from __future__ import annotations

from datetime import datetime

from libs.contracts.caller import Caller
from libs.contracts.errors import InvalidInput
from libs.contracts.tasks import AssigneeFacts, Handoff, HandoffContext, PreviewPacket, TaskState
from libs.contracts.types import owner_of
from services.tasks.domain.inputs import refuse_large_input
from services.tasks.domain.packets import Packet
from services.tasks.domain.tasks import Task

REQUEST_CHARACTERS = 1000

Offered = Handoff | PreviewPacket


def open_task(said: Offered, facts: AssigneeFacts, caller: Caller, now: datetime) -> tuple[Task, Packet]:
    """The requested task and the packet for its assignee."""
    _check(said, caller, now)
    context = said.context or HandoffContext()
    task = Task(
        project=said.project,
        project_owner=facts.project_owner,
        title=said.title,
        state=_first_state(said, facts, caller),
        requester=caller.subject,
        requester_owner=caller.person,
        assignee=said.to,
        assignee_owner=owner_of(said.to),
        branch=context.branch,
        due_at=said.due_at,
        created_at=now,
        updated_at=now,
    )
    packet = Packet(
        task_id=task.task_id,
        objective=said.objective,
        acceptance=said.acceptance,
        evidence=said.evidence or [[] for _ in said.acceptance],
        memory=[entry.wire() for entry in facts.memory],
        messages=[message.wire() for message in facts.messages],
        files=context.files or [],
        branch=context.branch,
    )
    return task, packet


def _check(said: Offered, caller: Caller, now: datetime) -> None:
    refuse_large_input(said)
    if said.to == caller.subject:
        raise InvalidInput("Name another agent: a task is not handed to oneself.", field="to")
    if said.evidence is not None and len(said.evidence) != len(said.acceptance):
        raise InvalidInput("Give evidence one list per acceptance criterion, [] for any kind.", field="evidence")
    if said.due_at is not None and said.due_at <= now:
        raise InvalidInput("Give a due date in the future, or none.", field="due_at")


def _first_state(said: Offered, facts: AssigneeFacts, caller: Caller) -> TaskState:
    """An agent that takes tasks from its owner only is asked when its owner has allowed it (R2)."""
    from_outside = owner_of(said.to) != caller.person
    return "awaiting_owner" if from_outside and facts.takes_tasks_from == "owner" else "requested"


def request_body(task: Task, packet: Packet) -> str:
    """The body of the Task request: the title and the beginning of the objective."""
    beginning = packet.objective[:REQUEST_CHARACTERS].rstrip()
    ending = "…" if len(packet.objective) > REQUEST_CHARACTERS else ""
    return f"**{task.title}**\n\n{beginning}{ending}"
