"""The tasks part of mailboxes."""

from __future__ import annotations

from libs.bus import Work, handles
from libs.bus.mailbox import read_mailbox
from libs.contracts.caller import Caller
from libs.contracts.mailbox import MailboxPage, ReadTasksMailbox


@handles(ReadTasksMailbox)
async def read_tasks_mailbox(query: ReadTasksMailbox, caller: Caller, work: Work) -> MailboxPage:
    """The entries after a position (R20)."""
    return await read_mailbox(query, work)
