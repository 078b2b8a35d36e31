"""What agents say they are doing, and when they were seen."""

from __future__ import annotations

from datetime import datetime

from libs.bus import Work, consumes, handles
from libs.contracts.caller import Caller
from libs.contracts.pulse import AgentsSeen, GetPulses, Pulses, UpdatedPulse, UpdatePulse
from services.pulse.domain.updates import is_sign_of_life, whose_pulse
from services.pulse.handlers.intents import check_intent, declare
from services.pulse.store import reports as store


@handles(UpdatePulse)
async def update_pulse(command: UpdatePulse, caller: Caller, work: Work) -> UpdatedPulse:
    """Store what an agent says of itself, or a device of its linked agent."""
    agent_id = whose_pulse(command, caller)
    check_intent(command)
    report = await store.lock_report(work, agent_id, command.project)
    report.take(command, work.now)
    store.keep(work, report)
    overlaps = await declare(agent_id, command, work)
    if is_sign_of_life(command, caller):
        await store.note_signs(work, {agent_id: work.now})
    known = await store.known_of(work, [agent_id])
    return UpdatedPulse(pulse=known.pulse((agent_id, command.project), work.now, work), overlaps=overlaps)


@handles(GetPulses)
async def get_pulses(query: GetPulses, caller: Caller, work: Work) -> Pulses:
    """The pulses of the members asked for, in their order, also of those that never reported."""
    known = await store.known_of(work, {member.agent_id for member in query.members})
    members = [((member.agent_id, member.project), member.joined_at) for member in query.members]
    return Pulses(pulses=[known.pulse(place, joined_at, work) for place, joined_at in members])


@consumes(AgentsSeen, by="pulse")
async def note_agents_seen(event: AgentsSeen, work: Work) -> None:
    """Remember who called the gateway."""
    latest: dict[str, datetime] = {}
    for sign in event.signs:
        latest[sign.agent_id] = max(sign.at, latest.get(sign.agent_id, sign.at))
    if latest:
        await store.note_signs(work, latest)
