"""Insert-or-update in the dialect of the session's database."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Table
from sqlalchemy.dialects.postgresql import insert as postgres_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from libs.storage.session import Session


def insert_into(session: Session, table: Table | type[Any]) -> Any:
    """An `INSERT` with `on_conflict_do_update` and `on_conflict_do_nothing` on either database."""
    return (postgres_insert if session.get_bind().dialect.name == "postgresql" else sqlite_insert)(table)
