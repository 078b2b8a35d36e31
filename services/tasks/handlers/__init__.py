"""The answers of tasks, a file per noun."""

from services.tasks.handlers import attempts, cancellations, handoffs, inbox, mailbox, reviews

__all__ = ["attempts", "cancellations", "handoffs", "inbox", "mailbox", "reviews"]
