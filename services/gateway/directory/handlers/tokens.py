"""Tokens by their SHA-256, for the gateway itself."""

from __future__ import annotations

from libs.bus import Work, handles
from libs.contracts import directory as asks
from libs.contracts.caller import Caller
from services.gateway.directory.domain import check_gateway
from services.gateway.directory.store.keys import keys_by_id, live_key


@handles(asks.ResolveToken)
async def resolve_token(query: asks.ResolveToken, caller: Caller, work: Work) -> asks.Resolved:
    """Whose token it is, as long as it is live."""
    check_gateway(caller)
    key = await live_key(work, query.token_sha256)
    return asks.Resolved(caller=key.caller(), expires_at=key.expires_at) if key else asks.Resolved(caller=None)


@handles(asks.RecordUses)
async def record_uses(command: asks.RecordUses, caller: Caller, work: Work) -> asks.RecordedUses:
    """Remember when credentials were last used."""
    check_gateway(caller)
    keys = await keys_by_id(work, command.uses)
    for key in keys:
        key.used(command.uses[key.key_id])
    return asks.RecordedUses(recorded=len(keys))
