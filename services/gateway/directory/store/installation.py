"""The installation's one row."""

from __future__ import annotations

from libs.bus import Work
from services.gateway.directory.domain import THE_INSTALLATION, Installation
from services.gateway.directory.store.things import insert


async def the_one(work: Work) -> Installation:
    """The installation, made at the first call."""
    found = await work.session.get(Installation, THE_INSTALLATION)
    if found is None:
        await insert(work, Installation())
        found = await work.session.get_one(Installation, THE_INSTALLATION)
    return found
