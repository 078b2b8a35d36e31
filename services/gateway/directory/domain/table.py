"""The tables that the directory keeps."""

from sqlalchemy import MetaData
from sqlmodel import SQLModel


class DirectoryTable(SQLModel):
    """What the directory keeps."""

    metadata = MetaData()
