"""What pulse tells agents."""

from __future__ import annotations

from libs.bus import Work, handles
from libs.bus.mailbox import read_mailbox
from libs.contracts.caller import Caller
from libs.contracts.mailbox import MailboxPage, ReadPulseMailbox


@handles(ReadPulseMailbox)
async def read_pulse_mailbox(query: ReadPulseMailbox, caller: Caller, work: Work) -> MailboxPage:
    """The pulse part of a mailbox."""
    return await read_mailbox(query, work)
