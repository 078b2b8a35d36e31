"""The tables that the bus keeps in every service's database."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, Integer, LargeBinary, MetaData, Table, Text

from libs.storage.columns import JsonValue, UtcDateTime

BUS_TABLES = MetaData()

ANSWERS = Table(
    "answers",
    BUS_TABLES,
    Column("key", Text, primary_key=True),
    Column("argument_hash", Text, nullable=False),
    Column("answer", LargeBinary, nullable=False),
    Column("expires_at", UtcDateTime, nullable=False, index=True),
)

OUTBOX = Table(
    "outbox",
    BUS_TABLES,
    Column("event_id", Text, primary_key=True),
    Column("event", Text, nullable=False),
    Column("body", JsonValue, nullable=False),
    Column("created_at", UtcDateTime, nullable=False, index=True),
    Column("sent_at", UtcDateTime, index=True),
)

MAILBOXES = Table(
    "mailboxes",
    BUS_TABLES,
    Column("recipient", Text, primary_key=True),
    Column("last", BigInteger, nullable=False),
    Column("floor", BigInteger, nullable=False, server_default="0"),
)

ENTRIES = Table(
    "mailbox_entries",
    BUS_TABLES,
    Column("recipient", Text, primary_key=True),
    Column("number", BigInteger, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("project", Text),
    Column("task_id", Text),
    Column("at", UtcDateTime, nullable=False),
    Column("body", JsonValue, nullable=False),
    Index("mailbox_entries_at", "at"),
)

POSITIONS = Table(
    "mailbox_positions",
    BUS_TABLES,
    Column("recipient", Text, primary_key=True),
    Column("tool", Text, primary_key=True),
    Column("number", BigInteger, nullable=False),
)

DEAD_LETTERS = Table(
    "dead_letters",
    BUS_TABLES,
    Column("event_id", Text, primary_key=True),
    Column("event", Text, nullable=False),
    Column("body", JsonValue, nullable=False),
    Column("error", Text, nullable=False),
    Column("deliveries", Integer, nullable=False),
    Column("died_at", UtcDateTime, nullable=False),
)
