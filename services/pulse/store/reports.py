"""Reports, signs of life and who holds which task."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import col, select

from libs.bus import Work
from libs.contracts.pulse import Pulse
from libs.storage import insert_into
from services.pulse.domain import Hold, Intent, PulseTable, Report, Sighting, Signs

Place = tuple[str, str]
"""An agent in a project."""


async def lock_report(work: Work, agent_id: str, project: str) -> Report:
    """What an agent last said in a project, locked so that two reports do not meet; a new one if it never did."""
    mine = select(Report).where(Report.agent_id == agent_id, Report.project == project)
    found = (await work.session.exec(mine.with_for_update())).one_or_none()
    return found or Report(agent_id=agent_id, project=project)


async def lock_hold(work: Work, task_id: str) -> Hold | None:
    """The newest that was heard of a task."""
    return (await work.session.exec(select(Hold).where(Hold.task_id == task_id).with_for_update())).one_or_none()


def keep(work: Work, thing: PulseTable) -> None:
    """Store a thing that is new or changed."""
    work.session.add(thing)


async def replace(work: Work, hold: Hold) -> None:
    """Store what was heard of a task in place of what was known."""
    await work.session.merge(hold)


async def note_signs(work: Work, signs: Mapping[str, datetime]) -> None:
    """Remember when agents were last seen: in a fixed order, and never an earlier time (R28)."""
    rows = [{"agent_id": agent_id, "seen_at": signs[agent_id]} for agent_id in sorted(signs)]
    insert = insert_into(work.session, Sighting).values(rows)
    newer = col(Sighting.seen_at) < insert.excluded.seen_at
    upsert = insert.on_conflict_do_update(
        index_elements=["agent_id"], set_={"seen_at": insert.excluded.seen_at}, where=newer
    )
    await work.session.execute(upsert)


@dataclass(frozen=True)
class Known:
    """What is known of some agents."""

    reports: dict[Place, Report]
    seen: dict[str, datetime]
    holding: set[Place]
    intents: dict[Place, Intent]

    def pulse(self, place: Place, joined_at: datetime, work: Work) -> Pulse:
        """An agent's pulse in a project as the others see it, also if it never said anything."""
        report = self.reports.get(place) or Report(agent_id=place[0], project=place[1])
        intent = self.intents.get(place)
        return report.view(self._signs(place, work), joined_at, intent.view() if intent else None)

    def _signs(self, place: Place, work: Work) -> Signs:
        seen_at = self.seen.get(place[0])
        silent = None if seen_at is None else (work.now - seen_at).total_seconds()
        return Signs(silent, place in self.holding, work.policy)


async def known_of(work: Work, agent_ids: Collection[str]) -> Known:
    """All that is known of some agents, in four queries."""
    session = work.session
    reports = (await session.exec(select(Report).where(col(Report.agent_id).in_(agent_ids)))).all()
    sightings = (await session.exec(select(Sighting).where(col(Sighting.agent_id).in_(agent_ids)))).all()
    live = select(Hold).where(col(Hold.agent_id).in_(agent_ids), col(Hold.live))
    announced = select(Intent).where(col(Intent.agent_id).in_(agent_ids), col(Intent.expires_at) > work.now)
    return Known(
        {(report.agent_id, report.project): report for report in reports},
        {sighting.agent_id: sighting.seen_at for sighting in sightings},
        {(hold.agent_id, hold.project) for hold in (await session.exec(live)).all()},
        {(intent.agent_id, intent.project): intent for intent in (await session.exec(announced)).all()},
    )
