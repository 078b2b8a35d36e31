"""Claiming messages for runs that answer them."""

from __future__ import annotations

from libs.bus import Work, handles
from libs.contracts.caller import Caller
from libs.contracts.errors import NotFound
from libs.contracts.tasks import ClaimDiscussion, ClaimedDiscussion, EndDiscussion, EndedDiscussion
from services.tasks.domain.discussions import claim_discussion
from services.tasks.store.discussions import add_discussion, discussion_under, discussions_of, lock_discussion


@handles(ClaimDiscussion)
async def claim_message(command: ClaimDiscussion, caller: Caller, work: Work) -> ClaimedDiscussion:
    """Make a device's run the one that answers a message, or repeat its claim with a fresh token (R14)."""
    device = command.device
    if device is None:
        raise ValueError("the gateway did not collect the facts of a claim")
    discussion = await discussion_under(work, device.device_id, command.idempotency_key)
    if discussion is not None:
        discussion.repeat(command, device, work.now)
        return discussion.view()
    former = await discussions_of(work, command.message_id)
    discussion = claim_discussion(command, device, former, work.now, work.policy)
    for expired in former:
        expired.end("expired", work.now)
    await add_discussion(work, discussion)
    return discussion.view()


@handles(EndDiscussion)
async def end_discussion(command: EndDiscussion, caller: Caller, work: Work) -> EndedDiscussion:
    """End a discussion that has its reply; again changes nothing (R14)."""
    discussion = await lock_discussion(work, command.discussion_id)
    if discussion is None:
        raise NotFound("Name the discussion of this run.", field="discussion_id")
    discussion.end("answered", work.now)
    return EndedDiscussion(discussion_id=discussion.discussion_id)
