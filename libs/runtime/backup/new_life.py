"""What a restored set must know: that it lives a second time."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import Integer, Text, Update, column, table, update

from libs.bus.tables import ANSWERS, OUTBOX
from libs.contracts.policy import Policy
from libs.runtime.serving import SERVICES

NUMBERS_LEFT_OUT = 1_000_000
INSTALLATION = table("installation", column("epoch", Text))
BOARDS = table("boards", column("last_number", Integer))


def changes(made_at: datetime, now: datetime, policy: Policy) -> dict[str, list[Update]]:
    """Per database the changes to one that was copied at `made_at` and lives again from `now` on."""
    shared = [_send_again(made_at, policy), _remember(made_at, now, policy)]
    own = {"gateway": _another_epoch(), "pulse": _leave_numbers_out()}
    return {name: [*shared, *own.get(name, ())] for name in SERVICES}


def _send_again(made_at: datetime, policy: Policy) -> Update:
    """Publish all events once more that may have been on their way: the streams are empty now (R43)."""
    since = made_at - timedelta(seconds=policy.outbox_kept_seconds)
    return update(OUTBOX).where(OUTBOX.c.created_at > since).values(sent_at=None)


def _remember(made_at: datetime, now: datetime, policy: Policy) -> Update:
    """Keep answers that were good then, those to events among them: what is published again is handled once (R42)."""
    until = now + timedelta(seconds=policy.outbox_kept_seconds)
    good_then = ANSWERS.c.expires_at > made_at, ANSWERS.c.expires_at < until
    return update(ANSWERS).where(*good_then).values(expires_at=until)


def _another_epoch() -> Sequence[Update]:
    """Cursors of the former life are told to start again, for its numbers are given out once more (R20)."""
    return [update(INSTALLATION).values(epoch=secrets.token_hex(8))]


def _leave_numbers_out() -> Sequence[Update]:
    """Leases get fences beyond those that were given out after the backup (R36)."""
    return [update(BOARDS).values(last_number=BOARDS.c.last_number + NUMBERS_LEFT_OUT)]
