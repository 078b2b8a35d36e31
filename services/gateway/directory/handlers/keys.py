"""Keys of agents, devices, people and the operator."""

from __future__ import annotations

from libs.bus import Work, handles
from libs.contracts import directory as asks
from libs.contracts.caller import Caller
from libs.contracts.types import owner_of
from libs.storage import new_id
from services.gateway.directory.domain import Key, check_governs, check_new_key, subject_kind
from services.gateway.directory.store import agents, devices, keys, people
from services.gateway.directory.store.things import add


@handles(asks.IssueKey)
async def issue_key(command: asks.IssueKey, caller: Caller, work: Work) -> asks.IssuedKey:
    """Record a new credential of an agent, device or person."""
    check_new_key(command, caller, work.now)
    owner = await _owner_of_keys(work, command.subject, caller)
    key = Key(key_id=new_id("key"), owner=owner, created_at=work.now, **command.model_dump())
    await add(work, key, "Issue the key again; the gateway makes a new token each time.")
    return key.issued()


@handles(asks.ListKeys)
async def list_keys(query: asks.ListKeys, caller: Caller, work: Work) -> asks.Keys:
    """The keys of an agent, device or person, never their tokens."""
    await _owner_of_keys(work, query.subject, caller)
    return asks.Keys(keys=[key.view() for key in await keys.keys(work, query.subject)])


async def _owner_of_keys(work: Work, subject: str, caller: Caller) -> str:
    """Who answers for the subject of keys; refuses an unknown one, and a caller who does not govern it."""
    match subject_kind(subject):
        case "device":
            return (await devices.device(work, subject, caller)).owner
        case "agent":
            await agents.agent(work, subject, caller)
        case "person":
            await people.person(work, subject, caller)
    check_governs(caller, subject)
    return owner_of(subject)


@handles(asks.RevokeKey)
async def revoke_key(command: asks.RevokeKey, caller: Caller, work: Work) -> asks.Key:
    """End a credential; again changes nothing (R46)."""
    key = await keys.lock_key(work, command.key_id, caller)
    key.revoke(work.now)
    return key.view()
