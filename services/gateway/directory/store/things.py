"""Whatever is kept under a name that is given out once."""

from __future__ import annotations

from libs.bus import Work
from libs.contracts.errors import Conflict
from libs.storage import insert_into
from services.gateway.directory.domain import DirectoryTable


async def add(work: Work, thing: DirectoryTable, taken: str) -> None:
    """Insert a thing, or refuse with the sentence `taken` when its key was ever given out."""
    if not await insert(work, thing):
        raise Conflict(taken)


async def insert(work: Work, thing: DirectoryTable) -> bool:
    """Insert a thing unless its key was ever given out; whether it was inserted."""
    statement = insert_into(work.session, type(thing)).values(thing.model_dump()).on_conflict_do_nothing()
    result = await work.session.exec(statement)
    return bool(result.rowcount)
