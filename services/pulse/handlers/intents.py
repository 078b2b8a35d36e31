"""What agents are about to change, and telling those whose intents overlap (R30)."""

from __future__ import annotations

from collections.abc import Sequence

from libs.bus import Work
from libs.contracts.pulse import Overlap, UpdatePulse
from services.pulse.domain import Intent
from services.pulse.domain.territories import check_paths
from services.pulse.store import intents as store


def check_intent(command: UpdatePulse) -> None:
    """Refuse paths that an intent cannot name."""
    if command.intent is not None:
        check_paths(command.intent.paths, "intent.paths")


async def declare(agent_id: str, command: UpdatePulse, work: Work) -> list[Overlap]:
    """Take over the intent that an update declares or takes back; who overlaps with the one that stands."""
    said = command.intent
    if said is not None:
        await store.take_turn(work, command.project)
    former = await store.intent_of(work, agent_id, command.project)
    if said is not None:
        intent = Intent.declared(agent_id, command.project, said, work.now)
        is_news = not intent.repeats(former, work.now)
        return await _told(await store.put_intent(work, intent), work, is_news)
    if former is None or not former.is_live(work.now):
        return []
    if "intent" in command.model_fields_set:
        await store.drop_intent(work, former)
        return []
    return await _told(former, work, is_news=False)


async def _told(intent: Intent, work: Work, is_news: bool) -> list[Overlap]:
    """The overlaps; the other agents learn of those with a new intent."""
    others = await overlapping(intent, work)
    for other in others if is_news else ():
        work.deliver(other.agent_id, "pulse_overlap", intent.project, {"overlap": other.overlap_with(intent).wire()})
    return [intent.overlap_with(other) for other in others]


async def overlapping(intent: Intent, work: Work) -> Sequence[Intent]:
    """The live intents of the project's other agents that meet this one."""
    mine, near = intent.territory, await store.territories_beside(work, intent)
    met = [agent_id for agent_id, theirs in near if mine.meets(theirs)]
    return await store.intents_of(work, intent.project, met) if met else []
