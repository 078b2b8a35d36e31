"""What the tables of pulse belong to."""

from __future__ import annotations

from sqlalchemy import MetaData
from sqlmodel import SQLModel


class PulseTable(SQLModel):
    """What pulse keeps."""

    metadata = MetaData()
