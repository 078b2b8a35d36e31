"""The tables that rooms keeps."""

from sqlalchemy import MetaData
from sqlmodel import SQLModel


class RoomsTable(SQLModel):
    """What every table of this service derives from."""

    metadata = MetaData()
