"""What agents propose to remember, and what people decide (R17)."""

from __future__ import annotations

from libs.bus import Work, consumes, handles
from libs.contracts.caller import Caller
from libs.contracts.rooms import DecidedProposal, DecideProposal, ListProposals, Proposals
from libs.contracts.tasks import MemoryProposed
from services.rooms.domain import Proposal, check_approved, check_decision
from services.rooms.handlers.memory import remember
from services.rooms.store.memory import find_entry, find_proposal, has_proposals, keep, keys_among, list_proposals
from services.rooms.store.projects import find_project, lock_roster, read_roster


@consumes(MemoryProposed, by="rooms")
async def keep_proposals(event: MemoryProposed, work: Work) -> None:
    """Keep what a result proposes until people decide; the same news again changes nothing (R42)."""
    if await find_project(work, event.project) and not await has_proposals(work, event.result_id):
        keep(work, *Proposal.all_of(event, work.now))


@handles(ListProposals)
async def show_proposals(query: ListProposals, caller: Caller, work: Work) -> Proposals:
    """List what is proposed, for the people who may approve it."""
    (await read_roster(work, query.project)).refuse_all_but_persons(caller)
    found = await list_proposals(work, query, query.limit + 1)
    shown = found[: query.limit]
    return Proposals(proposals=[proposal.view() for proposal in shown], more=len(found) > len(shown))


@handles(DecideProposal)
async def decide_proposal(command: DecideProposal, caller: Caller, work: Work) -> DecidedProposal:
    """Approve a proposal into memory or reject it; with the project locked, the first to decide wins."""
    check_decision(command)
    roster = await lock_roster(work, command.project)
    roster.refuse_all_but_persons(caller)
    proposal = await find_proposal(work, command.project, command.proposal_id)
    if proposal.repeats(command, caller.subject):
        stands = await find_entry(work, command.project, proposal.key)
        return DecidedProposal(proposal=proposal.view(), entry=stands.view() if stands else None)
    keys = list(dict.fromkeys(command.memory_keys or ()))
    check_approved(keys, await keys_among(work, command.project, keys) if keys else ())
    proposal.decide(command, caller.subject, work.now)
    if command.decision == "reject":
        return DecidedProposal(proposal=proposal.view(), entry=None)
    entry = await remember(proposal.entry(keys), roster.agents, work)
    return DecidedProposal(proposal=proposal.view(), entry=entry.view())
