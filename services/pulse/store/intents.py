"""Intents, declared one after the other in a project."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import Text, cast
from sqlmodel import col, select

from libs.bus import Work
from libs.storage import insert_into
from services.pulse.domain import Intent, ProjectTurn
from services.pulse.domain.territories import Territory, territory


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


async def territories_beside(work: Work, intent: Intent) -> list[tuple[str, Territory]]:
    """What the live intents of the project's other agents touch. Their lists stay text, by which they are known."""
    paths, areas = cast(col(Intent.paths), Text), cast(col(Intent.areas), Text)
    others = select(col(Intent.agent_id), paths, areas).where(
        col(Intent.project) == intent.project,
        col(Intent.agent_id) != intent.agent_id,
        col(Intent.expires_at) > work.now,
    )
    return [
        (agent_id, territory(paths, areas)) for agent_id, paths, areas in (await work.session.execute(others)).all()
    ]


async def intents_of(work: Work, project: str, agent_ids: Collection[str]) -> Sequence[Intent]:
    """What some agents announced in a project, in the order of their addresses."""
    query = select(Intent).where(Intent.project == project, col(Intent.agent_id).in_(agent_ids))
    return (await work.session.exec(query.order_by(Intent.agent_id))).all()
