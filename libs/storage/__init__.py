"""Databases: engines, one transaction, column types and ids. SQLite by default, PostgreSQL in production."""

from libs.storage.columns import JsonValue, UtcDateTime
from libs.storage.database import CannotOpen, Database
from libs.storage.ids import new_id
from libs.storage.outage import is_outage
from libs.storage.session import Session
from libs.storage.statements import dialect_of, insert_in, insert_into

__all__ = [
    "CannotOpen",
    "Database",
    "JsonValue",
    "Session",
    "UtcDateTime",
    "dialect_of",
    "insert_in",
    "insert_into",
    "is_outage",
    "new_id",
]
