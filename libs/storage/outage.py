"""Telling a database that cannot be reached from one that refuses what it was asked."""

from __future__ import annotations

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolExhausted

GONE = ("08", "53", "57P")
"""SQLSTATE classes: no connection, no resources, shutting down or starting up."""


def is_outage(error: Exception) -> bool:
    """Whether asking again, as it stands, can help once the database is back."""
    if isinstance(error, DBAPIError):
        return error.connection_invalidated or str(getattr(error.orig, "sqlstate", "")).startswith(GONE)
    return isinstance(error, OSError | PoolExhausted)


def reason_of(error: Exception) -> str:
    """What went wrong in a word, without a statement, a value or a URL."""
    return str(getattr(getattr(error, "orig", error), "sqlstate", None) or type(error).__name__)
