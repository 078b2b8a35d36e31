"""Intents, declared one after the other in a project."""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import col, select

from libs.bus import Work
from libs.storage import insert_into
from services.pulse.domain import Intent, ProjectTurn


async def take_turn(work: Work, project: str) -> None:
    """Wait until no other transaction declares an intent in the project (R30)."""
    insert = insert_into(work.session, ProjectTurn).values(project=project, taken=1)
    counted = {"taken": col(ProjectTurn.taken) + 1}
    await work.session.execute(insert.on_conflict_do_update(index_elements=["project"], set_=counted))


async def intent_of(work: Work, agent_id: str, project: str) -> Intent | None:
    """What an agent announced last in a project."""
    return await work.session.get(Intent, (agent_id, project))


async def put_intent(work: Work, intent: Intent) -> Intent:
    """Store an intent in place of the agent's former one."""
    return await work.session.merge(intent)


async def drop_intent(work: Work, intent: Intent) -> None:
    """Take an intent back."""
    await work.session.delete(intent)


async def live_intents_beside(work: Work, intent: Intent) -> Sequence[Intent]:
    """What the other agents of the project are about to change, in the order of their addresses."""
    others = select(Intent).where(Intent.project == intent.project, Intent.agent_id != intent.agent_id)
    live = others.where(col(Intent.expires_at) > work.now).order_by(Intent.agent_id)
    return (await work.session.exec(live)).all()
