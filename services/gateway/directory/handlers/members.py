"""People and agents by their addresses."""

from __future__ import annotations

from libs.bus import Work, handles
from libs.contracts import directory as asks
from libs.contracts.caller import Caller
from services.gateway.directory.store.agents import agents
from services.gateway.directory.store.people import people


@handles(asks.DescribeAddresses)
async def describe_addresses(query: asks.DescribeAddresses, caller: Caller, work: Work) -> asks.DescribeMembers:
    """What the caller may see of some addresses; the others are left out."""
    persons = await people(work, caller, query.addresses)
    owned = await agents(work, caller, query.addresses)
    return asks.DescribeMembers(
        people=[person.view() for person in persons], agents=[agent.view(team) for agent, team in owned]
    )
