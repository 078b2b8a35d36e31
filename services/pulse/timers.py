"""What happens on boards without a message. Parks lapse by themselves: whoever looks sees it."""

from __future__ import annotations

from libs.bus import Work, every
from services.pulse.handlers.leases import settle
from services.pulse.store.boards import lock_due_boards
from services.pulse.store.parks import forget_clearings


@every(1.0)
async def end_leases(work: Work) -> None:
    """Pass on the leases whose holders let them lapse (R4, R35)."""
    for board in await lock_due_boards(work):
        await settle(board, work)


@every(60.0)
async def forget_old_clearings(work: Work) -> None:
    """Forget what messages did to parks once nobody repeats it."""
    await forget_clearings(work)
