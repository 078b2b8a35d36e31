"""Insert-or-update, which the dialects spell in their own ways."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Table
from sqlalchemy.dialects.postgresql import insert as postgres_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from libs.storage.session import Session


def dialect_of(session: Session) -> str:
    """The dialect of the session's database: `sqlite` or `postgresql`."""
    name: str = session.get_bind().dialect.name
    return name


def insert_in(dialect: str, table: Table | type[Any]) -> Any:
    """An `INSERT` with `on_conflict_do_update` and `on_conflict_do_nothing`."""
    return (postgres_insert if dialect == "postgresql" else sqlite_insert)(table)


def insert_into(session: Session, table: Table | type[Any]) -> Any:
    """The same in the dialect of the session's database."""
    return insert_in(dialect_of(session), table)
