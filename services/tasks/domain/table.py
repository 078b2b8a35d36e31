"""The base of all tables of this service."""

from __future__ import annotations

from typing import ClassVar

from sqlalchemy import MetaData
from sqlmodel import SQLModel


class TasksTable(SQLModel):
    """What tasks keeps."""

    metadata: ClassVar[MetaData] = MetaData()
