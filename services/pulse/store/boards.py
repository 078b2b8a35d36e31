"""Boards, their rows, and what is known of the agents on them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence

from sqlmodel import col, delete, select

from libs.bus import Work
from libs.contracts.pulse import BoardAgent
from libs.storage import insert_into
from services.pulse.domain import Board, Hold, Lease, Park, Row, Sighting, Waiter
from services.pulse.domain.rows import Peer


async def lock_board(work: Work, team: str) -> Board:
    """The board of a team, unchanged by others until the transaction ends."""
    insert = insert_into(work.session, Board).values(team=team, last_number=0)
    await work.session.execute(insert.on_conflict_do_nothing(index_elements=["team"]))
    return (await work.session.exec(select(Board).where(Board.team == team).with_for_update())).one()


async def lock_due_boards(work: Work) -> Sequence[Board]:
    """Boards with a lease that has ended, but those that another transaction has locked (R4)."""
    due = select(Lease.team).where(col(Lease.expires_at) <= work.now)
    query = select(Board).where(col(Board.team).in_(due)).order_by(Board.team).with_for_update(skip_locked=True)
    return (await work.session.exec(query)).all()


async def row_of(work: Work, agent_id: str, team: str) -> Row:
    """What an agent wrote on the board; a new row if it never did."""
    return await work.session.get(Row, agent_id) or Row(agent_id=agent_id, team=team)


async def peers_of(work: Work, team: str, agents: Collection[BoardAgent]) -> list[Peer]:
    """All that is known of some agents of a team."""
    session, ids = work.session, [agent.agent_id for agent in agents]
    rows = {row.agent_id: row for row in (await session.exec(select(Row).where(col(Row.agent_id).in_(ids)))).all()}
    parks = {
        park.agent_id: park for park in (await session.exec(select(Park).where(col(Park.agent_id).in_(ids)))).all()
    }
    sightings = (await session.exec(select(Sighting).where(col(Sighting.agent_id).in_(ids)))).all()
    seen, runs = {sighting.agent_id: sighting.seen_at for sighting in sightings}, await _runs_of(work, ids)
    return [
        Peer(
            row=rows.get(agent.agent_id) or Row(agent_id=agent.agent_id, team=team),
            display_name=agent.display_name,
            park=parks.get(agent.agent_id),
            runs=runs[agent.agent_id],
            seen_at=seen.get(agent.agent_id),
        )
        for agent in agents
    ]


async def _runs_of(work: Work, agent_ids: Collection[str]) -> dict[str, list[Hold]]:
    query = select(Hold).where(col(Hold.agent_id).in_(agent_ids), col(Hold.live), col(Hold.is_run))
    runs: dict[str, list[Hold]] = defaultdict(list)
    for run in (await work.session.exec(query.order_by(Hold.task_id))).all():
        runs[run.agent_id].append(run)
    return runs


async def teams_of(work: Work, agent_id: str) -> list[str]:
    """The boards that an agent is on: one, or none."""
    rows = select(Row.team).where(Row.agent_id == agent_id)
    held = select(Lease.team).where(Lease.holder == agent_id)
    awaited = select(Waiter.team).where(Waiter.agent_id == agent_id)
    return sorted({team for query in (rows, held, awaited) for team in (await work.session.exec(query)).all()})


async def forget_agent(work: Work, agent_id: str) -> None:
    """Take an agent off the board and out of all queues."""
    for kind in (Row, Park, Waiter):
        await work.session.execute(delete(kind).where(col(kind.agent_id) == agent_id))
