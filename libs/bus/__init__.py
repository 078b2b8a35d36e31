"""The bus: command lanes and replies, events by outbox, mailboxes and wake-ups, everything once."""

from libs.bus.handlers import Asked, consumes, every, handles, handles_batch
from libs.bus.work import Work

__all__ = ["Asked", "Work", "consumes", "every", "handles", "handles_batch"]
