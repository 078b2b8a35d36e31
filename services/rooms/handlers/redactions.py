"""Redaction: what a message said is gone, that it was said is not."""

from __future__ import annotations

from libs.bus import Work, handles
from libs.bus.mailbox import withdraw
from libs.contracts.caller import Caller
from libs.contracts.rooms import RedactMessage, StoredMessage
from services.rooms.store.messages import message_of
from services.rooms.store.projects import lock_roster


@handles(RedactMessage)
async def redact_message(command: RedactMessage, caller: Caller, work: Work) -> StoredMessage:
    """Replace what a message says, and take it out of the mailboxes of those it mentioned; the first time stands."""
    roster = await lock_roster(work, command.project)
    roster.refuse_outsiders(caller)
    message = await message_of(work, command.project, command.message_id)
    message.refuse_redaction_by(caller, roster.project.owner)
    if message.redacted_at is None:
        message.redact(caller.subject, command.reason, work.now)
        await withdraw(work, message.told_at, lambda body: body.get("message", {}).get("id") == message.id)
    return StoredMessage(message=message.view())
