"""Claims and releases of leases; one that ends goes to the head of its queue at once (R35, R36)."""

from __future__ import annotations

from libs.bus import Work
from libs.contracts.errors import InvalidInput, LeaseNotHeld, LimitExceeded, NotFound
from libs.contracts.pulse import BoardFacts, MemoryAgents
from services.pulse.domain import Board, Lease, Waiter
from services.pulse.domain.answers import Done
from services.pulse.domain.leases import Wish, place_of
from services.pulse.domain.names import LeaseName, selected
from services.pulse.store import leases as store


async def claim(command: MemoryAgents, agent_id: str, board: Board, work: Work) -> Done:
    """Grant a free lease, renew one's own, or join the queue."""
    name, wish = selected(command), Wish(agent_id, command.status, command.expect)
    _check_project(name, command.facts)
    lease = await store.find_lease(work, name.lease_id(board.team)) or Lease.on(name, board.team, work.now)
    await _check_spelling(lease, name, work)
    queue = (await store.queues_of(work, [lease.lease_id]))[lease.lease_id]
    if lease.holder == agent_id:
        lease.renew(wish, work.now, work.policy)
        return Done("renewed", lease=lease.view(queue, agent_id, work.now))
    if place_of(agent_id, queue) is None:
        await _check_limits(lease, queue, agent_id, work)
    if lease.holder is None:
        lease.grant(wish, board.next_number(), work.now, work.policy)
        work.session.add(lease)
        return Done("granted", lease=lease.view(queue, agent_id, work.now))
    return _queue_up(lease, queue, wish, board, work)


def _check_project(name: LeaseName, facts: BoardFacts | None) -> None:
    if name.kind == "coordinator" and name.path not in (facts.projects if facts else ()):
        raise NotFound("Name one of your projects; discover_team_agents lists them.", field=name.field)


async def _check_spelling(lease: Lease, name: LeaseName, work: Work) -> None:
    """Two names that differ in case alone may be one file."""
    if await store.held_in_other_case(work, lease.lease_id, lease.folded_id):
        raise InvalidInput(
            "Use the spelling of the live lease that differs in case alone; list shows it.", field=name.field
        )


async def _check_limits(lease: Lease, queue: list[Waiter], agent_id: str, work: Work) -> None:
    if lease.holder is not None and len(queue) >= work.policy.lease_waiters:
        raise LimitExceeded("Try again later: the queue of this lease is full.", retry_after_seconds=60)
    if await store.concerns_of(work, lease.team, agent_id) >= work.policy.leases_per_agent:
        raise LimitExceeded("Release some of your leases first: you hold and wait for too many.")


def _queue_up(lease: Lease, queue: list[Waiter], wish: Wish, board: Board, work: Work) -> Done:
    """Join a queue once: who waits already keeps its place."""
    place = place_of(wish.agent_id, queue)
    if place is None:
        place = len(queue) + 1
        queue.append(Waiter.of(wish.agent_id, lease, board.next_number(), work.now))
        work.session.add(queue[-1])
    queue[place - 1].take(wish)
    return Done("queued", position=place, lease=lease.view(queue, wish.agent_id, work.now))


async def release(command: MemoryAgents, agent_id: str, board: Board, work: Work) -> Done:
    """End one's hold on a lease, or leave its queue; anybody else holds nothing to release."""
    name = selected(command)
    lease = await store.find_lease(work, name.lease_id(board.team))
    if lease is not None and lease.holder == agent_id:
        queue = await pass_on(lease, board, work)
        return Done("released", lease=lease.view(queue, agent_id, work.now) if lease.holder else None)
    queue = (await store.queues_of(work, [lease.lease_id]))[lease.lease_id] if lease else []
    mine = [waiter for waiter in queue if waiter.agent_id == agent_id]
    if lease is None or not mine:
        raise LeaseNotHeld("List your leases first: you neither hold this one nor wait for it.", field=name.field)
    await store.remove(work, mine[0])
    rest = [waiter for waiter in queue if waiter.agent_id != agent_id]
    return Done("left_queue", lease=lease.view(rest, agent_id, work.now))


async def settle(board: Board, work: Work) -> None:
    """Pass on the leases that have ended, and forget those that nobody held lately."""
    for lease in await store.ended_leases(work, board.team):
        if lease.holder is None:
            await store.remove(work, lease)
        else:
            await pass_on(lease, board, work)


async def pass_on(lease: Lease, board: Board, work: Work) -> list[Waiter]:
    """End a lease and grant it to the head of its queue, who is told and must claim it; who waits then."""
    lease.vacate(work.now, work.policy)
    queue = (await store.queues_of(work, [lease.lease_id]))[lease.lease_id]
    if not queue:
        return []
    head, rest = queue[0], queue[1:]
    lease.grant(head.wish, board.next_number(), work.now, work.policy, reserved=True)
    await store.remove(work, head)
    work.deliver(head.agent_id, "lease_granted", None, {"lease": lease.view(rest, head.agent_id, work.now).wire()})
    return rest
