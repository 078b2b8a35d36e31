"""Messages that clear the parks of agents (R37)."""

from __future__ import annotations

from libs.bus import Work, handles
from libs.contracts.caller import Caller
from libs.contracts.pulse import ClearedParks, ClearParks, NotCleared
from services.pulse.domain import Clearing, Park
from services.pulse.domain.names import lease_named
from services.pulse.handlers.leases import settle
from services.pulse.store import boards, leases
from services.pulse.store import parks as store


@handles(ClearParks)
async def clear_parks(command: ClearParks, caller: Caller, work: Work) -> ClearedParks:
    """Clear the parks that let the author, and tell their agents; asked again for a message, the same answer."""
    board = await boards.lock_board(work, command.team)
    if former := await store.clearing_of(work, command.message_id):
        return ClearedParks.model_validate(former.answer)
    await settle(board, work)
    answer = await _cleared(command, caller.subject, work)
    work.session.add(Clearing(message_id=command.message_id, answer=answer.wire(), at=work.now))
    return answer


async def _cleared(command: ClearParks, sender: str, work: Work) -> ClearedParks:
    parks = await store.parks_of(work, command.team, command.addresses)
    cleared: list[str] = []
    not_cleared: list[NotCleared] = []
    for address in dict.fromkeys(command.addresses):
        park = parks.get(address)
        if park is None:
            not_cleared.append(NotCleared(address=address, reason="not_parked"))
        elif refusal := park.refusal(sender, await _holders(park, work), work.now):
            not_cleared.append(NotCleared(address=address, reason=refusal))
        else:
            await _clear(park, sender, command.message_id, work)
            cleared.append(address)
    return ClearedParks(cleared=cleared, not_cleared=not_cleared)


async def _clear(park: Park, sender: str, message_id: str, work: Work) -> None:
    await store.end_park(work, park)
    told = park.view(work.now, cleared_by=sender, message_id=message_id)
    work.deliver(park.agent_id, "park_cleared", None, {"park": told.wire()})


async def _holders(park: Park, work: Work) -> set[str]:
    """Who holds the lease that a park names, or held it a moment ago."""
    if park.lease is None:
        return set()
    name = lease_named(park.lease, "park_clear_by")
    lease = await leases.find_lease(work, name.lease_id(park.team))
    return lease.held_lately(work.now, work.policy) if lease else set()
