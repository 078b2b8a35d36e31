"""The answers of pulse, a file per noun."""

from services.pulse.handlers import attempts, boards, departures, mailbox, parks, reports

__all__ = ["attempts", "boards", "departures", "mailbox", "parks", "reports"]
