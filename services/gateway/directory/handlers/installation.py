"""What all gateways share."""

from __future__ import annotations

from libs.bus import Work, handles
from libs.contracts import directory as asks
from libs.contracts.caller import Caller
from services.gateway.directory.domain import check_gateway
from services.gateway.directory.store import installation


@handles(asks.GetInstallation)
async def get_installation(command: asks.GetInstallation, caller: Caller, work: Work) -> asks.Installation:
    """The installation's epoch and cursor signing key, made at the first call (R20)."""
    check_gateway(caller)
    return (await installation.the_one(work)).view()
