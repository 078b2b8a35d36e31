"""What pulse answers and follows."""

from __future__ import annotations

from datetime import datetime

from libs.bus import Work, consumes, handles
from libs.bus.mailbox import read_mailbox
from libs.contracts.caller import Caller
from libs.contracts.mailbox import MailboxPage, ReadPulseMailbox
from libs.contracts.pulse import AgentsSeen, GetPulses, Pulses, UpdatedPulse, UpdatePulse
from libs.contracts.tasks import AttemptEnded, AttemptStarted
from services.pulse import store
from services.pulse.domain import Hold, is_sign_of_life, whose_pulse


@handles(UpdatePulse)
async def update_pulse(command: UpdatePulse, caller: Caller, work: Work) -> UpdatedPulse:
    """Store what an agent says of itself, or a device of its linked agent."""
    agent_id = whose_pulse(command, caller)
    report = await store.lock_report(work, agent_id, command.project)
    report.take(command, work.now)
    store.keep(work, report)
    if is_sign_of_life(command, caller):
        await store.note_signs(work, {agent_id: work.now})
    known = await store.known_of(work, [agent_id])
    signs = known.signs((agent_id, command.project), work)
    return UpdatedPulse(pulse=report.view(signs, joined_at=work.now), overlaps=[])


@handles(GetPulses)
async def get_pulses(query: GetPulses, caller: Caller, work: Work) -> Pulses:
    """The pulses of the members asked for, in their order, also of those that never reported."""
    known = await store.known_of(work, {member.agent_id for member in query.members})
    places = [((member.agent_id, member.project), member.joined_at) for member in query.members]
    return Pulses(pulses=[known.report(at).view(known.signs(at, work), joined_at) for at, joined_at in places])


@handles(ReadPulseMailbox)
async def read_pulse_mailbox(query: ReadPulseMailbox, caller: Caller, work: Work) -> MailboxPage:
    """The pulse part of a mailbox."""
    return await read_mailbox(query, work)


@consumes(AgentsSeen, by="pulse")
async def note_agents_seen(event: AgentsSeen, work: Work) -> None:
    """Remember who called the gateway."""
    latest: dict[str, datetime] = {}
    for sign in event.signs:
        latest[sign.agent_id] = max(sign.at, latest.get(sign.agent_id, sign.at))
    if latest:
        await store.note_signs(work, latest)


@consumes(AttemptStarted, by="pulse")
async def note_attempt_started(event: AttemptStarted, work: Work) -> None:
    """The agent holds the task now; a run that starts ends the failure of the last one (R31)."""
    await note_attempt(event, work)
    if event.kind == "run":
        report = await store.lock_report(work, event.agent_id, event.project)
        report.run_started(event.started_at or work.now)
        store.keep(work, report)


@consumes(AttemptEnded, by="pulse")
async def note_attempt_ended(event: AttemptEnded, work: Work) -> None:
    """The agent holds the task no longer."""
    await note_attempt(event, work)


async def note_attempt(event: AttemptStarted | AttemptEnded, work: Work) -> None:
    """Remember the newest of a task; the first that is heard of an attempt ends what its agent said before (R28)."""
    hold, former = Hold.heard(event), await store.lock_hold(work, event.task_id)
    if not hold.outdates(former):
        return
    if hold.is_of_another_attempt_than(former):
        report = await store.lock_report(work, hold.agent_id, hold.project)
        report.take_back_availability()
        store.keep(work, report)
    await store.replace(work, hold)
