"""Remembered positions: how far each recipient and tool acknowledged its mailbox (R21)."""

from __future__ import annotations

from typing import Any

from sqlalchemy import bindparam, func, select

from libs.bus.tables import POSITIONS
from libs.storage import Session, insert_into

FURTHEST = select(POSITIONS.c.number).where(
    POSITIONS.c.recipient == bindparam("recipient"), POSITIONS.c.tool == bindparam("tool")
)


class Positions:
    """Recorded lazily, in batches: a lost one means a repeated delivery, never a missed one."""

    def __init__(self) -> None:
        self._fresh: dict[tuple[str, str], int] = {}

    def remember(self, recipient: str, tool: str, number: int) -> None:
        """Note a passed cursor; positions only move forward."""
        key = (recipient, tool)
        self._fresh[key] = max(number, self._fresh.get(key, 0))

    async def remembered(self, session: Session, recipient: str, tool: str) -> int:
        """The furthest number acknowledged; 0 when there is none."""
        stored = (await session.execute(FURTHEST, {"recipient": recipient, "tool": tool})).scalar()
        return max(stored or 0, self._fresh.get((recipient, tool), 0))

    @property
    def unwritten(self) -> bool:
        """Whether there is something to write."""
        return bool(self._fresh)

    async def write(self, session: Session) -> None:
        """Write what is in memory; forget it with `written` once the transaction is committed."""
        insert = insert_into(session, POSITIONS)
        rows = [
            {"recipient": recipient, "tool": tool, "number": number}
            for (recipient, tool), number in sorted(self._fresh.items())
        ]
        furthest = _greatest(session)(POSITIONS.c.number, insert.excluded.number)
        await session.execute(
            insert.on_conflict_do_update(index_elements=["recipient", "tool"], set_={"number": furthest}), rows
        )

    def written(self, numbers: dict[tuple[str, str], int]) -> None:
        """Forget what has been written, unless it moved on meanwhile."""
        for key, number in numbers.items():
            if self._fresh.get(key) == number:
                del self._fresh[key]

    def snapshot(self) -> dict[tuple[str, str], int]:
        """What is in memory now."""
        return dict(self._fresh)


def _greatest(session: Session) -> Any:
    return func.greatest if session.get_bind().dialect.name == "postgresql" else func.max
